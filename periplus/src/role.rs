//! Whether the role that a source is opened with may do more than read: told once where work begins, or refused.
//!
//! `index`, `serve` and `status` ask for every source they are about; where a source is strict, `ask` and `query` do
//! so too, because one that must not be used mustn't be used by them. Invariant: only strictness turns what is found,
//! or a failure to find out, into an error.

use std::sync::Once;
use std::time::Duration;

use connect::{ConnectError, Connector, ExcessPrivilege};
use serde_json::{Value, json};

use crate::config::SourceConfig;
use crate::diagnostics;
use crate::project::Project;

/// How long finding out may take, log-in included: nobody who asks for a status waits longer for a server that is away.
const CHECK_TIME: Duration = Duration::from_secs(15);

/// Rights that a warning names.
const PRIVILEGES_TOLD: usize = 2;

/// What was found out about a source's role.
#[derive(Debug)]
pub(crate) struct RoleCheck {
    /// The source's name.
    pub(crate) source: String,
    problem: Option<RoleError>,
}

/// What is wrong with a role.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum RoleError {
    /// It may do more than read.
    #[error(
        "the source `{name}` is opened by a role that may do more than read: a statement that got past the guard could \
         use that"
    )]
    TooPowerful { name: String, privileges: Vec<ExcessPrivilege> },
    /// What it may do is not known.
    #[error("what the role that opens the source `{name}` may do can't be found out")]
    Unchecked {
        name: String,
        #[source]
        cause: ConnectError,
    },
}

impl RoleError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::TooPowerful { .. } => "role_too_powerful",
            Self::Unchecked { .. } => "role_unchecked",
        }
    }

    /// What the role may do, one by one.
    pub(crate) fn reasons(&self) -> Vec<String> {
        match self {
            Self::TooPowerful { privileges, .. } => privileges.iter().map(|right| right.what.clone()).collect(),
            Self::Unchecked { .. } => Vec::new(),
        }
    }

    pub(crate) fn hints(&self) -> Vec<String> {
        match self {
            Self::TooPowerful { privileges, .. } => remedies(privileges)
                .into_iter()
                .map(|remedy| {
                    let statements = remedy.replace('\n', "\n  ");
                    format!("have an administrator make a role that only reads, and name it in `dsn`:\n  {statements}")
                })
                .collect(),
            Self::Unchecked { cause, .. } => cause.hints(),
        }
    }
}

/// Each remedy once, as those of one role are all the same.
fn remedies(privileges: &[ExcessPrivilege]) -> Vec<&str> {
    let mut remedies: Vec<&str> = Vec::new();
    for privilege in privileges {
        if !remedies.contains(&privilege.remedy.as_str()) {
            remedies.push(&privilege.remedy);
        }
    }
    remedies
}

impl RoleCheck {
    /// Asks the database.
    pub(crate) async fn of(source: &str, connector: &dyn Connector) -> Self {
        let asked = tokio::time::timeout(CHECK_TIME, connector.excess_privileges()).await;
        Self::judge(source, asked.unwrap_or(Err(ConnectError::Timeout { after: CHECK_TIME })))
    }

    /// Opens the source and asks its database.
    async fn open(source: &SourceConfig) -> Self {
        match connect::connect(&source.id, &source.dsn) {
            Ok(connector) => Self::of(&source.id, connector.as_ref()).await,
            Err(error) => Self::judge(&source.id, Err(error)),
        }
    }

    fn judge(source: &str, found: Result<Vec<ExcessPrivilege>, ConnectError>) -> Self {
        let name = source.to_owned();
        let problem = match found {
            Ok(privileges) if privileges.is_empty() => None,
            Ok(privileges) => Some(RoleError::TooPowerful { name: name.clone(), privileges }),
            Err(cause) => Some(RoleError::Unchecked { name: name.clone(), cause }),
        };
        Self { source: name, problem }
    }

    /// What is wrong as an error, where there is something.
    pub(crate) fn demand(&self) -> Result<(), RoleError> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// The failure, where nothing was found out because nobody could log in.
    pub(crate) fn log_in_failure(&self) -> Option<&ConnectError> {
        match &self.problem {
            Some(RoleError::Unchecked {
                cause:
                    cause @ (ConnectError::Unreachable { .. }
                    | ConnectError::NoDatabase { .. }
                    | ConnectError::Authentication { .. }
                    | ConnectError::Encryption { .. }),
                ..
            }) => Some(cause),
            _ => None,
        }
    }

    /// All of it for programs.
    pub(crate) fn document(&self) -> Value {
        let (privileges, unchecked) = match &self.problem {
            None => (&[][..], None),
            Some(RoleError::TooPowerful { privileges, .. }) => (privileges.as_slice(), None),
            Some(RoleError::Unchecked { cause, .. }) => {
                (&[][..], Some(json!({"code": cause.code(), "message": cause.to_string()})))
            }
        };
        let excess: Vec<Value> =
            privileges.iter().map(|right| json!({"code": right.code, "what": right.what})).collect();
        json!({"excess_privileges": excess, "remedy": remedies(privileges).first(), "unchecked": unchecked})
    }
}

/// Prints a warning where there is something to warn of. Roles that may do more than read are told of once in a process,
/// in three lines: who has read them knows, and the page has the rest.
pub(crate) fn warn_of(roles: &[RoleCheck]) {
    static TOLD: Once = Once::new();
    let mut powerful: Vec<(&str, &[ExcessPrivilege])> = Vec::new();
    for role in roles {
        match &role.problem {
            Some(RoleError::TooPowerful { name, privileges }) => powerful.push((name, privileges)),
            Some(unchecked) => diagnostics::warn(unchecked.clone().into()),
            None => {}
        }
    }
    if powerful.is_empty() {
        return;
    }
    TOLD.call_once(|| {
        let lines = in_three_lines(&powerful).map(|line| shown::one_line(&line).into_owned());
        diagnostics::note(&lines.join("\n"));
    });
}

fn in_three_lines(powerful: &[(&str, &[ExcessPrivilege])]) -> [String; 3] {
    let names: Vec<String> = powerful.iter().map(|(name, _)| format!("`{name}`")).collect();
    let all: Vec<&str> =
        powerful.iter().flat_map(|(_, privileges)| privileges.iter().map(|right| right.what.as_str())).collect();
    let more = match all.len().saturating_sub(PRIVILEGES_TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    [
        format!("warning[role_too_powerful]: {} opened by a role that may do more than read", names.join(", ")),
        format!("  because: {}{more}", all[..all.len().min(PRIVILEGES_TOLD)].join("; ")),
        "hint: `periplus status --strict` prints it all and the statements for a role that only reads; \
         `periplus manual databases` says why"
            .to_owned(),
    ]
}

/// The roles of these sources, all asked at the same time.
pub(crate) async fn check_all(sources: &[SourceConfig]) -> Vec<RoleCheck> {
    let asking: Vec<_> =
        sources.iter().cloned().map(|source| tokio::spawn(async move { RoleCheck::open(&source).await })).collect();
    let mut checks = Vec::with_capacity(sources.len());
    for (source, asked) in sources.iter().zip(asking) {
        let stopped = |_| RoleCheck::judge(&source.id, Err(ConnectError::Stopped { location: source.id.clone() }));
        checks.push(asked.await.unwrap_or_else(stopped));
    }
    checks
}

/// A connection to a source; to a strict one only by a role that may do nothing but read.
pub(crate) async fn connect_checked(project: &Project, source: &SourceConfig) -> anyhow::Result<Box<dyn Connector>> {
    let connector = project.connector(source)?;
    if project.is_strict(source) {
        RoleCheck::of(&source.id, connector.as_ref()).await.demand()?;
    }
    Ok(connector)
}
