-- expect: warn(counted_time_as_text)
-- suggests: datetime(made, 'unixepoch')
SELECT count(*) FROM bookings WHERE strftime('%Y', made) = '2024'
