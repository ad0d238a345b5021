CREATE TABLE meters (
    meter_id INTEGER PRIMARY KEY, region TEXT NOT NULL, installed_on DATE NOT NULL, is_smart INTEGER NOT NULL
);
CREATE TABLE readings (
    reading_id INTEGER PRIMARY KEY,
    meter_id INTEGER NOT NULL REFERENCES meters (meter_id),
    read_at TIMESTAMP NOT NULL,
    watt_hours INTEGER NOT NULL,
    total_pulses BIGINT NOT NULL,
    price_cents INTEGER NOT NULL,
    quality TEXT NOT NULL
);
CREATE TABLE account_months (
    account_id INTEGER NOT NULL, month DATE NOT NULL, balance DECIMAL(12, 2) NOT NULL, paid_to_date DECIMAL(12, 2) NOT NULL,
    charged DECIMAL(12, 2) NOT NULL, PRIMARY KEY (account_id, month)
);
CREATE TABLE outages (
    outage_id INTEGER PRIMARY KEY, began_at TIMESTAMP NOT NULL, logged_at TIMESTAMP NOT NULL, homes INTEGER NOT NULL,
    cause TEXT NOT NULL
);
INSERT INTO meters VALUES (1, 'Nord', '2020-03-01', 1), (2, 'NORD', '2021-05-11', 0), (3, 'Süd', '2022-08-30', 1), (4, 'Sud', '2023-01-01', 1);
INSERT INTO readings VALUES
    (1, 1, '2026-05-01 06:00:00', 10500, 8000000001, 312, 'ok'), (2, 2, '2026-05-31 22:15:00', 7300, 8000000002, 221, 'OK'),
    (3, 3, '2026-06-15 12:00:00', 9900, 8000000003, 305, 'estimated'), (4, 4, '2026-07-02 03:30:00', 12001, 8000000004, 377, 'ok');
INSERT INTO account_months VALUES
    (1, '2026-04-01', 120.5, 900, 80), (2, '2026-04-01', 40, 410, 60), (1, '2026-05-01', 90.25, 980, 85),
    (2, '2026-05-01', 55, 455, 62), (1, '2026-06-01', 10, 1100, 88), (2, '2026-06-01', 70, 500, 61);
INSERT INTO outages VALUES
    (1, '2026-05-03 00:00:00', '2026-05-03 07:31:00', 120, 'storm'), (2, '2026-05-20 00:00:00', '2026-05-21 09:12:00', 45, 'Storm.'),
    (3, '2026-06-30 00:00:00', '2026-06-30 16:00:00', 300, 'road works'), (4, '2026-07-04 00:00:00', '2026-07-04 08:08:00', 8, 'road_works');
