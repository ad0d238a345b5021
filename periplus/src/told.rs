//! What is told of a source beside what its engine tells: by the dbt projects that fill it.

use std::sync::Arc;

use catalog::Table;
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
pub(crate) struct Projects(pub(crate) Vec<DbtProject>);

impl Additions for Projects {
    fn add_to(&self, tables: &mut [Table]) {
        self.0.iter().for_each(|project| lineage::document(project, tables));
    }
}

impl Told {
    /// Reads what the configuration names, and sees that the scripts are there.
    pub(crate) fn of(source: &SourceConfig) -> Result<Self, LineageError> {
        let projects = source.dbt.iter().map(|folder| DbtProject::read(folder)).collect::<Result<_, _>>()?;
        for path in &source.scripts {
            std::fs::metadata(path).map_err(|source| LineageError::File { path: path.clone(), source })?;
        }
        Ok(Self { projects: Arc::new(Projects(projects)) })
    }

    /// For profiling and what compares with it.
    pub(crate) fn additions(&self) -> Option<Arc<dyn Additions>> {
        (!self.projects.0.is_empty()).then(|| self.projects.clone() as Arc<dyn Additions>)
    }
}
