"""Tests of what operators see and set: readiness, metrics, alerts, clock, retention, endings, the page."""
