//! States of the last queries, for operators.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use utoipa::ToSchema;

use crate::jobs::state::JobStatus;
use crate::problem::{Answer, Problem};

/// Queries whose states are kept.
const MOST_KEPT: usize = 100;
/// Characters of a query that are kept.
const MOST_SHOWN: usize = 500;

/// A query and what came of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct QueryState {
    /// Number of the query since the start.
    id: u64,
    /// The query, or its begin.
    query: String,
    /// Its state.
    state: JobStatus,
    /// When it was asked, in milliseconds since 1970.
    asked_at: u64,
    /// Seconds that it took, or has taken so far.
    seconds: f64,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip)]
    begun: Option<Instant>,
}

/// The last queries, newest first.
#[derive(Default)]
pub struct Queries(Mutex<VecDeque<QueryState>>);

/// A query that waits or runs; one whose sender leaves has failed.
pub struct Asked<'q> {
    queries: &'q Queries,
    id: u64,
    is_over: bool,
}

impl Queries {
    /// Notes a query that waits for its turn.
    pub fn ask(&self, query: &str, now: u64) -> Asked<'_> {
        let mut all = self.all();
        let id = all.front().map_or(1, |last| last.id + 1);
        all.push_front(QueryState {
            id,
            query: query.chars().take(MOST_SHOWN).collect(),
            state: JobStatus::Waiting,
            asked_at: now,
            seconds: 0.0,
            problem: None,
            begun: Some(Instant::now()),
        });
        all.truncate(MOST_KEPT);
        Asked {
            queries: self,
            id,
            is_over: false,
        }
    }

    /// States of the last queries, newest first.
    pub fn states(&self) -> Vec<QueryState> {
        let mut states: Vec<QueryState> = self.all().iter().cloned().collect();
        for state in &mut states {
            state.count_time();
        }
        states
    }

    fn change(&self, id: u64, change: impl FnOnce(&mut QueryState)) {
        if let Some(found) = self.all().iter_mut().find(|query| query.id == id) {
            change(found);
        }
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<QueryState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueryState {
    fn count_time(&mut self) {
        if let Some(begun) = self.begun {
            self.seconds = begun.elapsed().as_millis() as f64 / 1000.0;
        }
    }
}

impl Asked<'_> {
    /// Notes that it is its turn.
    #[cfg_attr(not(feature = "sql"), allow(dead_code))]
    pub fn run(&self) {
        self.queries
            .change(self.id, |query| query.state = JobStatus::Running);
    }

    /// Notes what came of it.
    pub fn end<T>(mut self, answer: &Answer<T>) {
        self.close(answer.as_ref().err());
    }

    fn close(&mut self, problem: Option<&Problem>) {
        self.is_over = true;
        self.queries.change(self.id, |query| {
            query.count_time();
            query.begun = None;
            query.state = problem.map_or(JobStatus::Done, |_| JobStatus::Failed);
            query.problem = problem.map(|problem| problem.detail.clone());
        });
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.close(Some(&Problem::busy(
                "query",
                "query: its sender left before the answer",
            )));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn states_follow_a_query_to_its_end() {
        let queries = Queries::default();
        let asked = queries.ask(&"é".repeat(1000), 5);
        let state = |queries: &Queries| queries.states()[0].state;
        assert_eq!(state(&queries), JobStatus::Waiting);
        asked.run();
        assert_eq!(state(&queries), JobStatus::Running);
        asked.end(&Ok(()));
        assert_eq!(state(&queries), JobStatus::Done);
        assert_eq!(queries.states()[0].query.chars().count(), MOST_SHOWN);
        queries
            .ask("two", 6)
            .end::<()>(&Err(Problem::content("query", "query: wrong")));
        assert_eq!(queries.states()[0].problem.as_deref(), Some("query: wrong"));
        assert_eq!((queries.states()[0].id, queries.states()[1].id), (2, 1));
    }

    #[test]
    fn a_query_whose_sender_leaves_has_failed() {
        let queries = Queries::default();
        drop(queries.ask("one", 5));
        assert_eq!(queries.states()[0].state, JobStatus::Failed);
        assert!(queries.states()[0]
            .problem
            .as_deref()
            .unwrap()
            .contains("left"));
    }

    #[test]
    fn the_last_queries_are_kept() {
        let queries = Queries::default();
        for at in 0..MOST_KEPT as u64 + 50 {
            queries.ask("one", at).end(&Ok(()));
        }
        let states = queries.states();
        assert_eq!(
            (states.len(), states[0].id),
            (MOST_KEPT, MOST_KEPT as u64 + 50)
        );
    }
}
