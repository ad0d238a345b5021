//! What the user may do beyond reading, from what `SHOW GRANTS` says of it.
//!
//! A profile that holds a user to reading for good (`readonly`) takes the sting out of its grants: what is left is what
//! reading alone can reach. Invariant: a right that is not known to be for reading is reported.

use catalog::Dialect;
use std::collections::{BTreeMap, BTreeSet};

use super::decode::split_top_level;
use super::session::Session;
use super::settings::Purpose;
use crate::error::ConnectError;
use crate::privileges::ExcessPrivilege;

/// Rights that Periplus may have, by how they begin. Every user has the one to engines, which is of use only to somebody
/// who may create tables.
const READING: [&str; 6] = ["SELECT", "SHOW", "CHECK", "DICTGET", "USAGE", "TABLE ENGINE"];

/// Rights to what lies outside of the database, by how they begin.
const OUTSIDE: [&str; 24] = [
    "FILE",
    "URL",
    "REMOTE",
    "S3",
    "AZURE",
    "HDFS",
    "HIVE",
    "MYSQL",
    "POSTGRES",
    "SQLITE",
    "ODBC",
    "JDBC",
    "MONGO",
    "REDIS",
    "KAFKA",
    "NATS",
    "RABBITMQ",
    "YTSAURUS",
    "ARROW FLIGHT",
    "BIGQUERY",
    "DISK",
    "SOURCES",
    "READ",
    "WRITE",
];

/// Rights to make what leads outside. Without one of them, the rights of [`OUTSIDE`] are of no use.
const LEADING_OUTSIDE: [&str; 2] = ["CREATE TEMPORARY TABLE", "CREATE ARBITRARY TEMPORARY TABLE"];

/// Rights that change rows or tables, by how they begin.
const WRITING: [&str; 8] = ["INSERT", "ALTER", "CREATE", "DROP", "UNDROP", "TRUNCATE", "OPTIMIZE", "MOVE PARTITION"];

/// Rights over users and what they may do, by how they begin.
const USERS: [&str; 12] = [
    "ACCESS MANAGEMENT",
    "CREATE USER",
    "ALTER USER",
    "DROP USER",
    "CREATE ROLE",
    "ALTER ROLE",
    "DROP ROLE",
    "ROLE ADMIN",
    "IMPERSONATE",
    "SET DEFINER",
    "CREATE ROW POLICY",
    "ALTER SETTINGS PROFILE",
];

/// What the user of the session may do beyond reading.
pub(super) async fn excess(session: &Session) -> Result<Vec<ExcessPrivilege>, ConnectError> {
    // With the rights of the user's roles, which servers before 24.1 don't show.
    let grants = match session.try_texts("SHOW GRANTS FINAL", Purpose::OWN, &[]).await {
        Err(trouble) if trouble.is_syntax_error() => session.texts("SHOW GRANTS", Purpose::OWN, &[]).await?,
        grants => grants.map_err(|trouble| session.explain(trouble))?,
    };
    let grants: Vec<String> = grants.into_iter().flatten().flatten().collect();
    Ok(found_in(&grants, session.profile().readonly(), &session.user(), session.database()))
}

/// What the lines of `SHOW GRANTS` come to, for a user whose profile says `readonly`.
fn found_in(grants: &[String], readonly: u8, user: &str, database: &str) -> Vec<ExcessPrivilege> {
    let grants: Vec<Grant<'_>> = grants.iter().filter_map(|grant| Grant::read(grant)).collect();
    let leads =
        |right: &String| ["ALL", "CREATE"].contains(&right.as_str()) || LEADING_OUTSIDE.contains(&right.as_str());
    let leads_outside = grants.iter().any(|granted| granted.rights.iter().any(leads));
    let mut found: BTreeMap<&'static str, (BTreeSet<&str>, &str)> = BTreeMap::new();
    let mut add = |code, right, on| found.entry(code).or_insert_with(|| (BTreeSet::new(), on)).0.insert(right);
    for granted in &grants {
        for right in &granted.rights {
            match (code_of(right), readonly) {
                // Nothing can be written, and with 1 nothing outside be reached either.
                (None, _) | (_, 1) => {}
                (Some("file_access"), _) if !leads_outside => {}
                (Some(code), 0) => {
                    add(code, right.as_str(), granted.on);
                }
                (Some(code @ ("file_access" | "all")), _) => {
                    add(code, right.as_str(), granted.on);
                }
                _ => {}
            }
        }
        if granted.may_grant && readonly == 0 {
            add("grant", "WITH GRANT OPTION", granted.on);
        }
    }
    let remedy = remedy(database);
    let told = found.into_iter().map(|(code, (rights, on))| {
        let does = match code {
            "all" if readonly > 0 => "do everything but write",
            "all" => "do everything",
            "write" => "change data and tables",
            "file_access" => "reach files and other servers",
            "grant" => "manage users and their rights",
            _ => "interfere with the server",
        };
        let listed = rights.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let more = rights.len().saturating_sub(5);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = format!("the user `{user}` may {does}: {listed}{more} on {on}");
        ExcessPrivilege { code, what, remedy: remedy.clone() }
    });
    told.collect()
}

/// What a right is, in the words that a program branches on; `None` for reading.
fn code_of(right: &str) -> Option<&'static str> {
    let is =
        |list: &[&str]| list.iter().any(|name| right == *name || right.strip_prefix(name).is_some_and(begins_anew));
    match right {
        "ALL" => Some("all"),
        _ if is(&USERS) => Some("grant"),
        _ if is(&OUTSIDE) || is(&LEADING_OUTSIDE) => Some("file_access"),
        _ if is(&READING) => None,
        _ if is(&WRITING) => Some("write"),
        _ => Some("server"),
    }
}

/// Whether a word ends where `rest` begins: `SELECT(a, b)`, `SHOW TABLES`.
fn begins_anew(rest: &str) -> bool {
    rest.starts_with([' ', '('])
}

/// One line: `GRANT SELECT(a, b), INSERT ON sales.* TO ann WITH GRANT OPTION`.
struct Grant<'a> {
    /// In capitals.
    rights: Vec<String>,
    on: &'a str,
    may_grant: bool,
}

impl<'a> Grant<'a> {
    /// `None` for roles, which are shown with their rights where the server shows them, and for what is revoked again.
    fn read(line: &'a str) -> Option<Self> {
        let line = line.strip_prefix("GRANT ")?;
        let (rights, rest) = line.split_once(" ON ")?;
        let (on, to) = rest.rsplit_once(" TO ")?;
        let rights = split_top_level(rights).into_iter().map(str::to_ascii_uppercase).collect();
        Some(Self { rights, on, may_grant: to.ends_with("WITH GRANT OPTION") })
    }
}

/// The statements that make a user which can only read.
///
/// `readonly = 2`, which the user can't take off: nothing is written, and limits of time and memory can be set for each
/// statement. Without a right to temporary tables, nothing outside is reached either.
fn remedy(database: &str) -> String {
    format!(
        "CREATE USER periplus IDENTIFIED BY '<password>' SETTINGS readonly = 2;\n\
         GRANT SELECT ON {}.* TO periplus;",
        Dialect::Clickhouse.quoted(database)
    )
}

#[cfg(test)]
mod tests {
    use super::found_in;

    fn codes(grants: &[&str], readonly: u8) -> Vec<&'static str> {
        let grants: Vec<String> = grants.iter().map(|grant| (*grant).to_owned()).collect();
        found_in(&grants, readonly, "ann", "sales").into_iter().map(|found| found.code).collect()
    }

    #[test]
    fn tells_reading_from_everything_else() {
        for (grant, expected) in [
            ("GRANT SELECT ON sales.* TO ann", None),
            ("GRANT SHOW TABLES, SELECT(a, b), dictGet ON sales.t TO ann", None),
            ("GRANT SELECT, INSERT ON sales.* TO ann", Some("write")),
            ("GRANT ALTER UPDATE(a) ON sales.t TO ann", Some("write")),
            ("GRANT SELECT ON sales.* TO ann WITH GRANT OPTION", Some("grant")),
            ("GRANT CREATE USER ON *.* TO ann", Some("grant")),
            ("GRANT CREATE TEMPORARY TABLE, URL ON *.* TO ann", Some("file_access")),
            ("GRANT READ ON S3 TO ann", None),
            ("GRANT CREATE, FILE ON *.* TO ann", Some("file_access")),
            ("GRANT TABLE ENGINE ON * TO ann", None),
            ("GRANT SYSTEM RELOAD CONFIG ON *.* TO ann", Some("server")),
            ("GRANT ALL ON *.* TO ann WITH GRANT OPTION", Some("all")),
            ("GRANT SOMETHING NEW ON *.* TO ann", Some("server")),
            ("GRANT analysts TO ann", None),
            ("REVOKE SELECT ON sales.secret FROM ann", None),
        ] {
            assert_eq!(codes(&[grant], 0).first().copied(), expected, "{grant}");
            assert!(codes(&[grant], 1).is_empty(), "{grant}");
            let left = expected.filter(|code| ["file_access", "all"].contains(code));
            assert_eq!(codes(&[grant], 2).first().copied(), left, "{grant}");
        }
    }

    #[test]
    fn the_remedy_names_the_database_and_no_password() {
        let grants = ["GRANT INSERT, DROP TABLE ON *.* TO ann".to_owned()];
        let found = found_in(&grants, 0, "ann", "sa`les");
        assert_eq!(found[0].what, "the user `ann` may change data and tables: DROP TABLE, INSERT on *.*");
        assert!(found[0].remedy.ends_with("GRANT SELECT ON `sa``les`.* TO periplus;"), "{}", found[0].remedy);
    }
}
