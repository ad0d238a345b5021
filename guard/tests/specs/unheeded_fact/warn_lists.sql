-- expect: warn(list_compared)
SELECT count(*) FROM entries WHERE tags = 'red'
