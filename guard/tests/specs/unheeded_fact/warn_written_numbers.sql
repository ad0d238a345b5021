-- expect: warn(written_numbers)
SELECT max(fee) FROM entries
