-- expect: warn(codes_of_one_time)
SELECT count(*) FROM entries WHERE state = 'open'
