//! Many fits at once: as many as there are threads and as fit into memory, each on threads of its own.

use super::racing::Job;
use super::{Cell, Selection};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::fit::{Plan, available_memory};
use crate::message::Remedy;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

impl Selection {
    /// Fits the jobs in this order; fewer cells than jobs if it was stopped.
    ///
    /// Small fits gain little from a second thread, so each worker has one as long as there are jobs and memory for that
    /// many workers; a fit has the same bits on any number of threads.
    pub(super) fn fit_all(
        &self,
        jobs: &[Job],
        available: u64,
        stop: &(dyn Fn() -> bool + Sync),
        on_cell: &mut dyn FnMut(&Cell) -> ControlFlow<()>,
    ) -> Result<Vec<Cell>> {
        let threads = rayon::current_num_threads();
        let workers = self.workers(jobs, threads, available)?;
        let pools = (0..workers)
            .map(|worker| {
                let share = threads / workers + usize::from(worker < threads % workers);
                rayon::ThreadPoolBuilder::new().num_threads(share).build()
            })
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|error| {
                let but = format!("they cannot be started ({error})");
                Error::setting("threads", threads, but, [Remedy::Lower("threads")])
            })?;
        let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
        let over = || ended.load(Ordering::Relaxed) || stop();
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for pool in &pools {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || {
                    pool.install(|| {
                        while let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                            let Some(outcome) = (!over()).then(|| self.run_job(job, over).transpose()).flatten() else {
                                return;
                            };
                            if sender.send(outcome).is_err() {
                                return;
                            }
                        }
                    });
                });
            }
            drop(sender);
            // here, beside the workers, so that no fit waits for a disk
            let mut finished = Vec::with_capacity(jobs.len());
            let mut failure = None;
            for outcome in receiver {
                match outcome {
                    Ok(cell) => {
                        if on_cell(&cell).is_break() {
                            ended.store(true, Ordering::Relaxed);
                        }
                        finished.push(cell);
                    }
                    Err(error) => {
                        ended.store(true, Ordering::Relaxed);
                        failure.get_or_insert(error);
                    }
                }
            }
            failure.map_or(Ok(finished), Err)
        })
    }

    /// How many fits there can be at once on this machine.
    pub fn most_at_once(&self, threads: usize) -> Result<usize> {
        self.workers(&self.open_jobs(&Default::default()), threads, available_memory())
    }

    fn workers(&self, jobs: &[Job], threads: usize, available: u64) -> Result<usize> {
        let largest = jobs.iter().map(|job| self.candidates[job.candidate].n_components).max().unwrap_or(1);
        let config = Config { n_components: largest, ..self.config.clone() };
        let fits = |workers: usize| {
            let plan = Plan::with_memory(self.n(), self.table.values.ncols(), &config, available / workers as u64);
            plan.check_memory().map(|()| workers)
        };
        let most = threads.min(jobs.len()).max(1);
        (2..=most).rev().find_map(|workers| fits(workers).ok()).map_or_else(|| fits(1), Ok)
    }
}
