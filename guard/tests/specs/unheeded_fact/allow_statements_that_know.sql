-- expect: allow
SELECT count(*) FROM sojourns WHERE deleted_at IS NULL
--§
SELECT count(*), sum(CASE WHEN deleted_at IS NULL THEN 1 ELSE 0 END) FROM sojourns
--§
SELECT sojourn_id FROM sojourns WHERE nights > 3 ORDER BY sojourn_id LIMIT 10
--§
SELECT count(*) FROM hotels WHERE NOT (label GLOB 'TEST*')
--§
SELECT sum(nights) FROM nights_by_region WHERE region <> 'ALL'
--§
SELECT region, sum(nights) FROM nights_by_region GROUP BY region
--§
SELECT avg(price) FROM room_prices WHERE until IS NULL
--§
SELECT count(DISTINCT room) FROM room_prices
--§
SELECT currency, sum(amount) FROM bookings GROUP BY currency
--§
SELECT sum(amount) FROM bookings WHERE currency = 'EUR'
--§
SELECT count(*) FROM bookings
--§
SELECT avg(measured) FROM measures WHERE what = 'width'
--§
SELECT remark, nights FROM scribbles JOIN sojourns ON sojourn_id = about_id AND about = 'stay' ORDER BY 1 LIMIT 5
--§
SELECT max(nullif(leaves_on, '9999-12-31')) FROM bookings
--§
SELECT count(*) FROM bookings WHERE leaves_on > '2024-01-01'
--§
SELECT count(*) FROM bookings WHERE coalesce(channel, origin) = 'web'
--§
SELECT max(substr(booked, 7, 4) || '-' || substr(booked, 4, 2) || '-' || substr(booked, 1, 2)) FROM bookings
--§
SELECT booking_id FROM bookings ORDER BY substr(booked, 7, 4) LIMIT 5
--§
SELECT count(*) FROM bookings WHERE datetime(made, 'unixepoch') >= '2024-01-01'
--§
SELECT count(*) FROM sojourns WHERE began >= '2024-06-01' AND deleted_at IS NULL
--§
SELECT count(*) FROM sojourns WHERE deleted_at IS NULL AND rating > 4 AND began >= '2024-01-01'
--§
SELECT (SELECT count(*) FROM sojourns WHERE began >= '2022-01-01' AND deleted_at IS NULL) + (SELECT count(*) FROM sojourns_before WHERE began >= '2022-01-01')
--§
SELECT count(*) FROM sojourns_before WHERE began BETWEEN '2022-01-01' AND '2022-12-31'
--§
SELECT hotel, sum(in_stock) FROM rooms_free WHERE held = '2024-01-05' GROUP BY hotel
--§
SELECT count(*) FROM bookings WHERE state IN ('cancelled', 'storniert')
--§
SELECT count(*) FROM bookings WHERE date(made, 'unixepoch') = '2024-02-03'
--§
SELECT sum(CASE direction WHEN 'in' THEN amount ELSE -amount END) FROM entries
--§
SELECT count(*) FROM entries WHERE state IN ('open', 'o')
--§
SELECT count(*) FROM entries WHERE state = 'open' AND entered_on >= '2020-01-01'
--§
SELECT count(*) FROM entries WHERE tags LIKE '%red%'
--§
SELECT count(*) FROM entries WHERE tags = 'red;blue'
--§
SELECT count(*) FROM bookings WHERE substr(booked, 7, 4) = '2024'
--§
SELECT sum(cents) FROM drafts AS d WHERE revision = (SELECT max(revision) FROM drafts AS o WHERE o.draft_no = d.draft_no)
--§
SELECT count(DISTINCT draft_no) FROM drafts
--§
SELECT sum(beds) FROM wings WHERE level = 'R'
--§
SELECT count(*) FROM wings
--§
SELECT count(*) FROM dues WHERE paid_on >= '2024-01-01' AND paid_on < '2024-02-01'
--§
SELECT count(*) FROM dues WHERE paid_on > due_on
--§
SELECT count(*) FROM dues WHERE paid_on IS NULL OR paid_on = '1900-01-01'
--§
SELECT sum(CASE WHEN rooms > 3 THEN amount ELSE 0 END) FROM dues
--§
SELECT count(*) FROM bookings WHERE leaves_on IS NULL OR leaves_on > '2024-02-01'
--§
SELECT count(*) FROM bookings WHERE leaves_on >= '2024-02-01'
--§
SELECT sum(price) * 100 - sum(price_cents) FROM room_prices WHERE until IS NULL
--§
SELECT sum(price - price_cents / 100.0) FROM room_prices WHERE until IS NULL
