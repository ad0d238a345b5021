//! What is told of a source beside what its engine tells: by the dbt projects that fill it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use catalog::{Table, TableId};
use lineage::{DbtProject, LineageError};
use profile::Additions;

use crate::config::SourceConfig;

/// The dbt projects of a source.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// The projects.
    pub(crate) projects: Arc<Projects>,
}

/// What projects say of the tables that they fill.
#[derive(Debug)]
pub(crate) struct Projects {
    pub(crate) all: Vec<DbtProject>,
    /// For each relation, those that it is made from.
    ancestors: HashMap<String, HashSet<String>>,
    /// Columns that are tested to tell rows of their relations apart.
    tested_keys: HashSet<(String, String)>,
}

impl Additions for Projects {
    fn add_to(&self, tables: &mut [Table]) {
        self.all.iter().for_each(|project| lineage::document(project, tables));
    }

    fn is_made_from(&self, made: &TableId, from: &TableId) -> bool {
        let (made, from) = (made.local().to_lowercase(), from.local().to_lowercase());
        self.ancestors.get(&made).is_some_and(|ancestors| ancestors.contains(&from))
    }

    fn is_tested_key(&self, table: &TableId, column: &str) -> bool {
        self.tested_keys.contains(&(table.local().to_lowercase(), column.to_lowercase()))
    }
}

impl Told {
    /// Reads what the configuration names, and sees that the scripts are there.
    pub(crate) fn of(source: &SourceConfig) -> Result<Self, LineageError> {
        let all: Vec<DbtProject> =
            source.dbt.iter().map(|folder| DbtProject::read(folder)).collect::<Result<_, _>>()?;
        for path in &source.scripts {
            std::fs::metadata(path).map_err(|source| LineageError::File { path: path.clone(), source })?;
        }
        let mut ancestors: HashMap<String, HashSet<String>> = HashMap::new();
        for (made, from) in all.iter().flat_map(DbtProject::ancestors) {
            ancestors.entry(made).or_default().extend(from);
        }
        let tested_keys = all.iter().flat_map(DbtProject::tested_keys).collect();
        Ok(Self { projects: Arc::new(Projects { all, ancestors, tested_keys }) })
    }

    /// For profiling and what compares with it.
    pub(crate) fn additions(&self) -> Option<Arc<dyn Additions>> {
        (!self.projects.all.is_empty()).then(|| self.projects.clone() as Arc<dyn Additions>)
    }
}
