-- Made after the catalog was.
CREATE TABLE vouchers (voucher_id INTEGER PRIMARY KEY, amount REAL NOT NULL);
