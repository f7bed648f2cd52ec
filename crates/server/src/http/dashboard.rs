//! The page for operators: one document, a style and three scripts, all from here; numbers come from the interface.

use axum::http::{header, HeaderName, HeaderValue};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::Router;

/// Nothing from elsewhere, nothing inline, no frames around it.
const POLICY: &str =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Routes of the page.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(
            "/",
            get(|| {
                file(
                    "text/html; charset=utf-8",
                    include_str!("../../dashboard/index.html"),
                )
            }),
        )
        .route(
            "/dashboard.css",
            get(|| file("text/css", include_str!("../../dashboard/dashboard.css"))),
        )
        .route(
            "/chart.js",
            get(|| file("text/javascript", include_str!("../../dashboard/chart.js"))),
        )
        .route(
            "/asking.js",
            get(|| file("text/javascript", include_str!("../../dashboard/asking.js"))),
        )
        .route(
            "/dashboard.js",
            get(|| {
                file(
                    "text/javascript",
                    include_str!("../../dashboard/dashboard.js"),
                )
            }),
        )
}

async fn file(kind: &'static str, content: &'static str) -> impl IntoResponse {
    let fixed = HeaderValue::from_static;
    let headers: [(HeaderName, HeaderValue); 3] = [
        (header::CONTENT_TYPE, fixed(kind)),
        (header::CONTENT_SECURITY_POLICY, fixed(POLICY)),
        (header::REFERRER_POLICY, fixed("no-referrer")),
    ];
    (headers, content)
}
