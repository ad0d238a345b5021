-- The database that every spec is checked against. Small on purpose: each table is there for a rule.
CREATE TABLE customers (
    customer_id INTEGER PRIMARY KEY,
    full_name TEXT NOT NULL,
    email TEXT,
    country TEXT NOT NULL,
    signed_up TEXT NOT NULL,
    is_active INTEGER NOT NULL
);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (customer_id),
    status TEXT NOT NULL,
    total REAL NOT NULL,
    ordered_on TEXT NOT NULL,
    details TEXT
);
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (order_id),
    line INTEGER NOT NULL,
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (order_id, line)
);
CREATE TABLE employees (
    employee_id INTEGER PRIMARY KEY,
    manager_id INTEGER REFERENCES employees (employee_id),
    name TEXT NOT NULL,
    salary REAL NOT NULL
);
CREATE TABLE "odd names" ("select" TEXT, "two words" TEXT, "Ünïcode" TEXT, "a.b" TEXT, "delete" TEXT, update_count INTEGER);
CREATE VIEW paid_orders AS SELECT order_id, customer_id, total FROM orders WHERE status = 'paid';

CREATE TABLE order_lines_bak_20230401 (order_id INTEGER, line INTEGER, sku TEXT, quantity INTEGER);
CREATE TABLE order_lines_archive (order_id INTEGER, line INTEGER, sku TEXT, quantity INTEGER);
CREATE TABLE shifts (shift_id INTEGER PRIMARY KEY, held_on DATE NOT NULL);
CREATE TABLE calls (
    call_id INTEGER PRIMARY KEY,
    began_at TIMESTAMP NOT NULL,
    seconds INTEGER NOT NULL,
    fee_cents INTEGER NOT NULL,
    outcome TEXT NOT NULL
);
CREATE TABLE stock_days (shelf INTEGER NOT NULL, day DATE NOT NULL, on_hand INTEGER NOT NULL, sold INTEGER NOT NULL, PRIMARY KEY (shelf, day));
CREATE TABLE employee_list_legacy (number INTEGER PRIMARY KEY, name TEXT, manager_id INTEGER);
CREATE TABLE ledger_locked (entry_id INTEGER PRIMARY KEY, order_id INTEGER);
CREATE TABLE orders_old (order_id INTEGER PRIMARY KEY, status TEXT, total REAL, batch INTEGER);
INSERT INTO customers VALUES
    (1, 'Ada Ray', 'ada@example.org', 'US', '2023-01-15', 1),
    (2, 'Ben Low', 'ben@example.org', 'DE', '2023-02-20', 1),
    (3, 'Cleo May', NULL, 'FR', '2023-03-25', 0),
    (4, 'Dan Oak', 'dan@example.org', 'US', '2024-01-10', 1);
INSERT INTO orders VALUES
    (10, 1, 'paid', 120.5, '2024-01-05', '{"channel": "web", "items": [1, 2]}'),
    (11, 1, 'cancelled', 80, '2024-02-11', NULL),
    (12, 2, 'paid', 40, '2024-02-14', '{"channel": "shop"}'),
    (13, 4, 'in_progress', 300, '2024-03-01', NULL);
INSERT INTO order_lines VALUES (10, 1, 'A-1', 2), (10, 2, 'B-7', 1), (11, 1, 'A-1', 5), (12, 1, 'C-3', 1), (13, 1, 'B-7', 9);
INSERT INTO shifts VALUES (1, '2024-01-05'), (2, '2024-01-06'), (3, '2024-01-08');
INSERT INTO calls VALUES
    (1, '2024-01-05 09:30:00', 125, 310, 'solved'), (2, '2024-01-06 17:45:10', 61, 155, 'Solved'),
    (3, '2024-01-08 12:00:00', 240, 600, 'open');
INSERT INTO stock_days VALUES (1, '2024-01-05', 7, 2), (1, '2024-01-06', 5, 1), (2, '2024-01-05', 9, 0), (2, '2024-01-06', 9, 3);
INSERT INTO employees VALUES (1, NULL, 'Eve', 9000), (2, 1, 'Fay', 7000), (3, 1, 'Gus', 6500), (4, 2, 'Hal', 5000);
INSERT INTO "odd names" VALUES ('a', 'b c', 'd', 'e', 'f', 1);
-- Tables about whose rows something is known: `facts.json` says what.
CREATE TABLE bookings (
    booking_id INTEGER PRIMARY KEY,
    lodger_code TEXT NOT NULL,
    booked TEXT NOT NULL,
    made INTEGER NOT NULL,
    state TEXT NOT NULL,
    amount REAL NOT NULL,
    currency TEXT NOT NULL,
    leaves_on DATE,
    channel TEXT,
    origin TEXT
);
CREATE TABLE dues (due_id INTEGER PRIMARY KEY, issued_on DATE NOT NULL, due_on DATE NOT NULL, paid_on DATE NOT NULL, rooms INTEGER NOT NULL, amount REAL NOT NULL, payer_country TEXT NOT NULL, stage TEXT NOT NULL);
CREATE TABLE sojourns (sojourn_id INTEGER PRIMARY KEY, began DATE NOT NULL, nights INTEGER NOT NULL, rating REAL, deleted_at TIMESTAMP);
CREATE TABLE sojourns_before (sojourn_id INTEGER PRIMARY KEY, began DATE NOT NULL, nights INTEGER NOT NULL);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, gone_flag TEXT, weight REAL NOT NULL);
CREATE TABLE hotels (hotel_id INTEGER PRIMARY KEY, label TEXT NOT NULL, beds INTEGER NOT NULL);
CREATE TABLE lodgers (lodger_id INTEGER PRIMARY KEY, nation TEXT NOT NULL);
CREATE TABLE lodgers_web (lodger_id INTEGER PRIMARY KEY, nation TEXT NOT NULL);
CREATE TABLE nights_by_region (region TEXT NOT NULL, year INTEGER NOT NULL, nights INTEGER NOT NULL);
CREATE TABLE wings (wing_id INTEGER PRIMARY KEY, level TEXT NOT NULL, part_of INTEGER, beds INTEGER NOT NULL);
CREATE TABLE room_prices (room INTEGER NOT NULL, price REAL NOT NULL, price_cents INTEGER NOT NULL, since DATE NOT NULL, until DATE);
CREATE TABLE drafts (draft_no TEXT NOT NULL, revision INTEGER NOT NULL, cents INTEGER NOT NULL);
CREATE TABLE measures (room INTEGER NOT NULL, what TEXT NOT NULL, measured TEXT NOT NULL);
CREATE TABLE scribbles (about TEXT NOT NULL, about_id INTEGER NOT NULL, remark TEXT NOT NULL);
CREATE TABLE entries (
    entry_id INTEGER PRIMARY KEY,
    entered_on DATE NOT NULL,
    amount REAL NOT NULL,
    direction TEXT NOT NULL,
    state TEXT NOT NULL,
    weight REAL NOT NULL,
    room_code TEXT NOT NULL,
    tags TEXT,
    fee TEXT
);
CREATE TABLE chambers (room_id INTEGER PRIMARY KEY, code TEXT NOT NULL, floor INTEGER NOT NULL);
CREATE TABLE rooms_free (hotel INTEGER NOT NULL, held TEXT NOT NULL, in_stock INTEGER NOT NULL, rooms INTEGER NOT NULL);
INSERT INTO bookings VALUES
    (1, 'G-0001', '03.02.2024', 1706918400, 'cancelled', 120, 'EUR', '2024-02-09', NULL, 'web'),
    (2, 'G-0002', '14.02.2024', 1707868800, 'storniert', 90, 'USD', '9999-12-31', 'web', 'web');
INSERT INTO dues VALUES (1, '2024-01-03', '2024-02-03', '1900-01-01', -1, 120, 'Netherlands', 'cancelled'), (2, '2024-01-05', '2024-02-05', '2024-02-01', 4, 80, 'Nederland', 'canceled');
INSERT INTO lodgers VALUES (1, 'DE'), (2, 'FR');
INSERT INTO lodgers_web VALUES (1, 'DE'), (2, 'FR');
INSERT INTO entries VALUES
    (1, '2019-05-01', 10, 'in', 'o', 2, 'A-17', 'red;blue', '1.234,56'), (2, '2019-06-01', 20, 'out', 'c', 3, 'B-02', 'red', '12,00'),
    (3, '2021-05-01', 30, 'in', 'open', 2500, 'A-17', 'blue', '7,50'), (4, '2021-06-01', 40, 'out', 'closed', 3100, 'B-02', NULL, '3,00');
INSERT INTO chambers VALUES (1, 'A17', 1), (2, 'B02', 2);
CREATE TABLE insurers (insurer_id INTEGER PRIMARY KEY, name TEXT NOT NULL, closed_on DATE);
CREATE TABLE claims (
    claim_id INTEGER PRIMARY KEY,
    insurer_id INTEGER NOT NULL REFERENCES insurers (insurer_id),
    state TEXT NOT NULL,
    amount REAL NOT NULL,
    filed_on DATE NOT NULL
);
INSERT INTO insurers VALUES (1, 'Alpha', NULL);
INSERT INTO claims VALUES
    (1, 1, 'open', 120, '2024-02-03'), (2, 1, 'paid', 80, '2024-03-04'), (3, 1, 'withdrawn', 99, '2024-03-05');
CREATE TABLE claim_calls (
    claim_id INTEGER NOT NULL REFERENCES claims (claim_id),
    call INTEGER NOT NULL,
    caller TEXT NOT NULL,
    minutes INTEGER NOT NULL,
    PRIMARY KEY (claim_id, call)
);
INSERT INTO claim_calls VALUES (1, 1, 'ann', 4), (1, 2, 'bob', 9), (2, 1, 'ann', 3), (3, 1, 'bob', 7);
CREATE TABLE deliveries (delivery_id INTEGER PRIMARY KEY, state INTEGER NOT NULL, brought_by TEXT NOT NULL);
INSERT INTO deliveries VALUES (1, 1, 'QPS'), (2, 2, 'OWN'), (3, 9, 'QPS'), (4, 2, 'QPS');
CREATE TABLE code_values (domain TEXT NOT NULL, code TEXT NOT NULL, label TEXT NOT NULL);
INSERT INTO code_values VALUES ('DELIVERY_STATE', '1', 'under way'), ('DELIVERY_STATE', '2', 'handed over'), ('DELIVERY_STATE', '9', 'lost'), ('CARRIER', 'QPS', 'Quick Parcels'), ('CARRIER', 'OWN', 'our own lorry'), ('CARRIER', '1', 'post');
