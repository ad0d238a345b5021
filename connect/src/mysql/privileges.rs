//! What the user that we log in as may do beyond reading, from what `SHOW GRANTS` tells everybody about themselves.
//!
//! A user may do what every role may do that can be put on. MySQL shows their rights when asked with their names;
//! MariaDB shows those of a role only while it is put on, so a session that has put on roles is given up afterwards.
//! Invariant: a right that isn't known to be for reading counts as one that is not.

use super::grants::{self, Grant, Line};
use super::session::{Flavour, Session};
use crate::error::ConnectError;
use crate::privileges::{ExcessPrivilege, PASSWORD_PLACEHOLDER, reader_name};
use catalog::Dialect;

/// Kinds of rights with what they let do, the most dangerous first, and the server's names for them. What stands in none
/// of the lists administers the server in one way or other; there are dozens of these, and new ones with each version.
const KINDS: [(&str, &str, &[&str]); 8] = [
    ("superuser", "has power over the whole server", &["SUPER"]),
    ("file_access", "may read and write the server's files", &["FILE"]),
    ("write", "may write", &["INSERT", "UPDATE", "DELETE", "DELETE HISTORY", "ALL PRIVILEGES"]),
    (
        "create",
        "may change the structure",
        &[
            "CREATE",
            "DROP",
            "ALTER",
            "INDEX",
            "REFERENCES",
            "TRIGGER",
            "EVENT",
            "CREATE VIEW",
            "CREATE ROUTINE",
            "ALTER ROUTINE",
            "CREATE TEMPORARY TABLES",
            "CREATE TABLESPACE",
        ],
    ),
    ("create_role", "may make and change users", &["CREATE USER", "CREATE ROLE", "DROP ROLE", "ROLE_ADMIN"]),
    ("grant", "may pass on rights", &["GRANT OPTION", "ADMIN OPTION", "PROXY"]),
    // A routine runs with the rights of whoever made it, so it may write.
    ("execute", "may call routines, which run with their makers' rights", &["EXECUTE"]),
    ("administration", "may administer the server", &[]),
];

/// Rights that only read, or give nothing.
const READING: [&str; 6] = ["USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "SHOW CREATE ROUTINE", "SHOW_ROUTINE"];

/// Objects that a sentence names; the others are counted.
const OBJECTS_NAMED: usize = 2;

/// What was found out about a user.
struct Found {
    user: String,
    grants: Vec<Grant>,
    /// Whether `_` and `%` in a database's name stand for themselves, as the server was told.
    names_are_literal: bool,
}

/// Everything beyond reading, the most dangerous first. Of somebody who may do everything nothing else is said.
pub(super) async fn excess(mut session: Session) -> Result<Vec<ExcessPrivilege>, ConnectError> {
    let database = session.database().to_owned();
    let found = match granted(&mut session).await {
        Ok((found, roles)) if roles.is_empty() => session.end(Ok(found)).await?,
        Ok((mut found, roles)) => match with_roles(&mut session, &roles).await {
            Ok(grants) => {
                found.grants.extend(grants);
                session.give_up();
                found
            }
            Err(error) => {
                session.give_up();
                return Err(error);
            }
        },
        Err(error) => return session.end(Err(error)).await,
    };
    Ok(judge(&found, &database))
}

/// What the user has without a role, or with those that are always on; and the roles that can be put on.
async fn granted(session: &mut Session) -> Result<(Found, Vec<String>), ConnectError> {
    let user = session.texts("SELECT CURRENT_USER()", 0).await?.pop().unwrap_or_default();
    let names_are_literal = session.flavour() == Flavour::MySql
        && session.texts("SHOW VARIABLES LIKE 'partial_revokes'", 1).await? == ["ON"];
    let (mut grants, mut roles) = (Vec::new(), Vec::new());
    for line in session.texts("SHOW GRANTS", 0).await?.iter().filter_map(|line| grants::parse(line)) {
        match line {
            Line::Rights(grant) => grants.push(grant),
            Line::Roles { names, with_admin } => {
                if with_admin {
                    grants.push(admin_option(&names));
                }
                roles.extend(names);
            }
        }
    }
    Ok((Found { user, grants, names_are_literal }, roles))
}

/// The right to pass on roles.
fn admin_option(roles: &[String]) -> Grant {
    let right = grants::Right { name: "ADMIN OPTION".to_owned(), columns: String::new() };
    Grant { rights: vec![right], object: roles.join(", "), public: false }
}

/// What the user has with these roles; those within them come along.
async fn with_roles(session: &mut Session, roles: &[String]) -> Result<Vec<Grant>, ConnectError> {
    let mut lines = Vec::new();
    match session.flavour() {
        Flavour::MySql => {
            let sql = format!("SHOW GRANTS FOR CURRENT_USER() USING {}", roles.join(", "));
            lines = session.texts(&sql, 0).await?;
        }
        Flavour::MariaDb => {
            for role in roles {
                session.texts(&format!("SET ROLE {role}"), 0).await?;
                lines.extend(session.texts("SHOW GRANTS", 0).await?);
            }
        }
    }
    let grants = lines.iter().filter_map(|line| match grants::parse(line)? {
        Line::Rights(grant) => Some(grant),
        Line::Roles { names, with_admin } => with_admin.then(|| admin_option(&names)),
    });
    Ok(grants.collect())
}

/// The kind of a right; `None` for reading.
fn kind(right: &str, object: &str) -> Option<&'static str> {
    if READING.contains(&right) {
        return None;
    }
    if right == "ALL PRIVILEGES" && object == "*.*" {
        return Some("superuser");
    }
    let known = KINDS.iter().find(|(_, _, rights)| rights.contains(&right));
    Some(known.map_or("administration", |(code, _, _)| code))
}

fn judge(found: &Found, database: &str) -> Vec<ExcessPrivilege> {
    let mut sentences = Vec::new();
    for (code, can, _) in KINDS {
        // Each object once, with all that may be done to it.
        let mut objects: Vec<(&str, Vec<&str>)> = Vec::new();
        for grant in &found.grants {
            let rights = grant.rights.iter().map(|right| right.name.as_str());
            for right in rights.filter(|right| kind(right, &grant.object) == Some(code)) {
                let place = objects.iter().position(|(object, _)| *object == grant.object).unwrap_or_else(|| {
                    objects.push((&grant.object, Vec::new()));
                    objects.len() - 1
                });
                if !objects[place].1.contains(&right) {
                    objects[place].1.push(right);
                }
            }
        }
        if objects.is_empty() {
            continue;
        }
        let named = objects.iter().take(OBJECTS_NAMED);
        let mut words = named.map(|(object, rights)| format!("{} on {object}", rights.join(", "))).collect::<Vec<_>>();
        match objects.len().saturating_sub(OBJECTS_NAMED) {
            0 => {}
            more => words.push(format!("{more} more")),
        }
        sentences.push((code, format!("the user `{}` {can}: {}", found.user, words.join("; "))));
        if code == "superuser" {
            break;
        }
    }
    if sentences.is_empty() {
        return Vec::new();
    }
    let remedy = remedy(found, database);
    sentences.into_iter().map(|(code, what)| ExcessPrivilege { code, what, remedy: remedy.clone() }).collect()
}

/// The statements that make a user who may read this database from where we are, and for whom nothing is found here.
fn remedy(found: &Found, database: &str) -> String {
    let (user, host) = found.user.rsplit_once('@').unwrap_or((&found.user, "%"));
    // Who else there is isn't ours to see.
    let reader = reader_name(|name| name == user);
    let reader = format!("{}@{}", Dialect::Mysql.quoted(&reader), Dialect::Mysql.quoted(host));
    // Where a grant names a whole database, the name is a pattern.
    let database = match found.names_are_literal {
        true => database.to_owned(),
        false => database.replace('\\', "\\\\").replace('_', "\\_").replace('%', "\\%"),
    };
    let mut lines = vec![
        format!("CREATE USER {reader} IDENTIFIED BY {PASSWORD_PLACEHOLDER};"),
        format!("GRANT SELECT, SHOW VIEW ON {}.* TO {reader};", Dialect::Mysql.quoted(&database)),
    ];
    let mut revoked: Vec<String> = Vec::new();
    for grant in found.grants.iter().filter(|grant| grant.public) {
        let rights = grant.rights.iter().filter(|right| kind(&right.name, &grant.object).is_some());
        let rights: Vec<String> =
            rights.map(|right| format!("{} {}", right.name, right.columns).trim_end().to_owned()).collect();
        let line = format!("REVOKE {} ON {} FROM PUBLIC;", rights.join(", "), grant.object);
        if !rights.is_empty() && !revoked.contains(&line) {
            revoked.push(line);
        }
    }
    if !revoked.is_empty() {
        lines.push("-- Everybody has these rights, the new user too; see first who relies on them.".to_owned());
    }
    lines.extend(revoked);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Found, Line, grants, judge};
    use crate::privileges::ExcessPrivilege;

    fn check(lines: &[&str]) -> Vec<ExcessPrivilege> {
        let grants = lines.iter().filter_map(|line| match grants::parse(line) {
            Some(Line::Rights(grant)) => Some(grant),
            _ => None,
        });
        judge(&Found { user: "app@10.0.%".into(), grants: grants.collect(), names_are_literal: false }, "my_shop")
    }

    #[test]
    fn names_what_is_not_reading() {
        for (line, expected) in [
            ("GRANT USAGE ON *.* TO `app`@`10.0.%`", vec![]),
            ("GRANT SELECT, SHOW DATABASES, SHOW VIEW ON *.* TO `app`@`10.0.%`", vec![]),
            ("GRANT ALL PRIVILEGES ON *.* TO `app`@`10.0.%` WITH GRANT OPTION", vec!["superuser"]),
            // MySQL spells out what ALL PRIVILEGES are.
            ("GRANT SELECT, INSERT, SHUTDOWN, SUPER, CREATE USER ON *.* TO `app`@`10.0.%`", vec!["superuser"]),
            ("GRANT ALL PRIVILEGES ON `my\\_shop`.* TO `app`@`10.0.%`", vec!["write"]),
            ("GRANT FILE, PROCESS, RELOAD ON *.* TO `app`@`10.0.%`", vec!["file_access", "administration"]),
            ("GRANT SYSTEM_VARIABLES_ADMIN,XA_RECOVER_ADMIN ON *.* TO `app`@`10.0.%`", vec!["administration"]),
            (
                "GRANT SELECT, INSERT, CREATE ON `s`.* TO `app`@`10.0.%` WITH GRANT OPTION",
                vec!["write", "create", "grant"],
            ),
            ("GRANT EXECUTE ON FUNCTION `s`.`f` TO `app`@`10.0.%`", vec!["execute"]),
        ] {
            assert_eq!(check(&[line]).iter().map(|right| right.code).collect::<Vec<_>>(), expected, "{line}");
        }
    }

    #[test]
    fn says_it_shortly_and_how_to_do_without() {
        let found = check(&[
            "GRANT USAGE ON *.* TO `app`@`10.0.%` IDENTIFIED BY PASSWORD '*94BDCEBE'",
            "GRANT INSERT ON `a`.* TO `app`@`10.0.%`",
            "GRANT SELECT, UPDATE (`x`) ON `b`.`t` TO PUBLIC",
            "GRANT DELETE ON `a`.* TO `app`@`10.0.%`",
            "GRANT INSERT ON `c`.* TO `app`@`10.0.%`",
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].what,
            "the user `app@10.0.%` may write: INSERT, DELETE on `a`.*; UPDATE on `b`.`t`; 1 more"
        );
        let remedy = "CREATE USER `periplus_reader`@`10.0.%` IDENTIFIED BY '<password>';\n\
                      GRANT SELECT, SHOW VIEW ON `my\\_shop`.* TO `periplus_reader`@`10.0.%`;\n\
                      -- Everybody has these rights, the new user too; see first who relies on them.\n\
                      REVOKE UPDATE (`x`) ON `b`.`t` FROM PUBLIC;";
        assert_eq!(found[0].remedy, remedy);
    }
}
