//! What a server counts, for Prometheus: numbers, and no name of anybody, of a table or of a value.

use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::tools;

/// What is in a text of [`Metrics::text`].
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What a call came to that ended without an answer: its client hung up or gave it up.
const GIVEN_UP: &str = "cancelled";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    /// As it is declared, `/api/v1/tables/{source}/{table}`: an address that is made up is no label.
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: &'static str,
    /// `ok`, or the code of the error.
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: &'static str,
}

type Histograms<S> = Family<S, Histogram, fn() -> Histogram>;

pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Histograms<RouteLabels>,
    calls: Family<CallLabels, Counter>,
    call_seconds: Histograms<ToolLabels>,
    running: Gauge,
    connections: Gauge,
    tables: Gauge,
    indexed_at: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("periplus");
        let requests = Family::default();
        let request_seconds = Histograms::new_with_constructor(seconds as fn() -> Histogram);
        let calls = Family::default();
        let call_seconds = Histograms::new_with_constructor(seconds as fn() -> Histogram);
        let (running, connections, tables, indexed_at) =
            (Gauge::default(), Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("build", "The program that runs", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        registry.register("http_requests", "Requests that were answered", requests.clone());
        let until = "From a request's head to its answer's; a stream goes on";
        registry.register_with_unit("http_request_duration", until, Unit::Seconds, request_seconds.clone());
        registry.register("http_connections", "Connections that are open", connections.clone());
        registry.register("calls", "Calls of tools, over MCP and REST, that have ended", calls.clone());
        let from = "From a call's arrival to its end, waiting for a place included";
        registry.register_with_unit("call_duration", from, Unit::Seconds, call_seconds.clone());
        registry.register("calls_in_progress", "Calls that are worked on or wait for a place", running.clone());
        registry.register("catalog_tables", "Tables and views in the catalog", tables.clone());
        let at = "When the source was indexed that was longest ago, in seconds since 1970; 0 where none was";
        registry.register_with_unit("catalog_indexed_timestamp", at, Unit::Seconds, indexed_at.clone());
        Self { registry, requests, request_seconds, calls, call_seconds, running, connections, tables, indexed_at }
    }
}

/// From 1 ms to a minute.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.5, 13))
}

impl Metrics {
    /// Counts a request that was answered.
    pub(crate) fn answered(&self, method: &'static str, route: String, status: u16, since: Instant) {
        self.request_seconds
            .get_or_create(&RouteLabels { route: route.clone() })
            .observe(since.elapsed().as_secs_f64());
        self.requests.get_or_create(&RequestLabels { method, route, status }).inc();
    }

    /// A connection is open until what this gives is dropped.
    pub(crate) fn connection(&self) -> impl Drop + Send + use<> {
        Open::new(&self.connections)
    }

    /// A call of that tool, which ends when what this gives is dropped.
    pub(crate) fn call(&self, tool: &str) -> CallCount {
        let labels = ToolLabels { tool: tools::known(tool) };
        CallCount {
            calls: self.calls.clone(),
            took: self.call_seconds.get_or_create_owned(&labels),
            tool: labels.tool,
            since: Instant::now(),
            outcome: GIVEN_UP,
        }
    }

    /// All of it, as of now, with the calls under way and what the catalog has.
    ///
    /// # Errors
    /// Where the text can't be written.
    pub(crate) fn text(&self, running: usize, catalog: &catalog::Catalog) -> Result<String, std::fmt::Error> {
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.running.set(whole(running));
        let oldest = catalog.sources().iter().filter_map(|source| source.indexed_at).min();
        self.tables.set(whole(catalog.entries().len()));
        self.indexed_at.set(oldest.map_or(0, |at| at.as_second()));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// One more, until it is dropped.
struct Open(Gauge);

impl Open {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// A call that is counted once it ends.
pub(crate) struct CallCount {
    calls: Family<CallLabels, Counter>,
    took: Histogram,
    tool: &'static str,
    since: Instant,
    outcome: &'static str,
}

impl CallCount {
    /// That it was answered, or with which code it was refused.
    pub(crate) fn came_to(&mut self, outcome: Result<(), &'static str>) {
        self.outcome = outcome.err().unwrap_or("ok");
    }
}

impl Drop for CallCount {
    fn drop(&mut self) {
        self.took.observe(self.since.elapsed().as_secs_f64());
        self.calls.get_or_create(&CallLabels { tool: self.tool, outcome: self.outcome }).inc();
    }
}

#[cfg(test)]
mod tests {
    use crate::tools;

    #[test]
    fn every_tool_is_counted_by_its_name() {
        let offered = tools::definitions().into_iter().chain(tools::documenting_definitions());
        for tool in offered.chain([tools::feedback_definition()]) {
            assert_eq!(tools::known(tool.name), tool.name);
        }
        assert_eq!(tools::known("drop_tables"), "unknown");
    }
}
