//! Traces for a collector of OpenTelemetry (`serve --otlp`): which requests and calls were answered, how they ended, and how long
//! the statements and models that they needed took. Neither questions nor statements nor values are sent.
//!
//! What is sent comes from the spans of the target `traces`, wherever they are made. How it is sent can be set as the OpenTelemetry
//! specification has it: `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`, `OTEL_BSP_SCHEDULE_DELAY`, `OTEL_RESOURCE_ATTRIBUTES` ….

use opentelemetry::global;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Where a collector takes traces, below its address.
const PATH: &str = "v1/traces";

/// What sends spans; the last ones are sent when it is dropped.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Sends them to the collector at that address, such as `http://127.0.0.1:4318`.
    ///
    /// # Errors
    /// Where the address can't be one of a collector. Whether somebody is there is seen when the first spans are sent.
    pub(crate) fn to(collector: &str) -> anyhow::Result<Self> {
        let endpoint = format!("{}/{PATH}", collector.trim_end_matches('/'));
        let exporter = SpanExporter::builder().with_http().with_endpoint(endpoint).build()?;
        let resource = Resource::builder().with_service_name(env!("CARGO_PKG_NAME"));
        let resource =
            resource.with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
        // Clients say in W3C's form which trace a request belongs to.
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Self { provider })
    }

    /// What takes the spans up.
    pub(crate) fn layer<S: Subscriber + for<'s> LookupSpan<'s>>(&self) -> impl Layer<S> + use<S> {
        let tracer = self.provider.tracer(env!("CARGO_PKG_NAME"));
        let layer =
            tracing_opentelemetry::layer().with_tracer(tracer).with_target(false).with_tracked_inactivity(false);
        let layer = layer.with_location(false).with_threads(false);
        layer.with_filter(filter_fn(|of| of.is_span() && of.target() == "traces"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last traces weren't sent");
        }
    }
}
