//! Two servers that read the same partitions, in any order of steps: on a disk, and in an object store.

use std::sync::Arc;

use isopod_disk::{Disk, SimulatedDisk};
use isopod_objects::ObjectDisk;
use object_store::memory::InMemory;
use proptest::prelude::*;

use super::topic::{partition, rows, Reader, Topic};

/// Something that a server does.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The group gives it the partitions of these devices; the other server is not told.
    Assign(bool, bool),
    Read(usize),
    Commit,
}

fn step() -> impl Strategy<Value = (usize, Step)> {
    let step = prop_oneof![
        any::<(bool, bool)>().prop_map(|(one, two)| Step::Assign(one, two)),
        (1..4usize).prop_map(Step::Read),
        Just(Step::Commit),
    ];
    (0..2usize, step)
}

fn run(topic: &Topic, disks: [Arc<dyn Disk>; 2], steps: &[(usize, Step)]) {
    let mut readers = disks
        .each_ref()
        .map(|disk| Reader::new(topic, disk).unwrap());
    for (server, step) in steps {
        let reader = &mut readers[*server];
        match step {
            Step::Assign(one, two) => {
                let devices = [(1, one), (2, two)];
                let wanted = devices.iter().filter(|(_, is_wanted)| **is_wanted);
                let partitions: Vec<_> = wanted.map(|(device, _)| partition(*device)).collect();
                reader.assign(&partitions).unwrap();
            }
            Step::Read(most) => drop(reader.read(*most).unwrap()),
            Step::Commit => {
                if let Err(error) = reader.commit() {
                    assert!(error.is_taken_over(), "{error}");
                }
            }
        }
        let found = rows(topic, &disks[0]);
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    }
    readers[0].assign_all().unwrap();
    readers[0].finish().unwrap();
    assert_eq!(rows(topic, &disks[0]), topic.expected());
    // The other one, as after a pause, adds nothing.
    if let Err(error) = readers[1].finish() {
        assert!(error.is_taken_over(), "{error}");
    }
    assert_eq!(rows(topic, &disks[0]), topic.expected());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn no_frame_is_lost_or_doubled(steps in prop::collection::vec(step(), 1..25)) {
        let topic = Topic::new(&[0, 1, 1, 2, 0, 4, 3, 4, 5, 6]);
        let disk: Arc<dyn Disk> = Arc::new(SimulatedDisk::new(1));
        run(&topic, [disk.clone(), disk], &steps);
        let store = Arc::new(InMemory::new());
        let disk = || -> Arc<dyn Disk> { Arc::new(ObjectDisk::new(store.clone(), &std::env::temp_dir()).unwrap()) };
        run(&topic, [disk(), disk()], &steps);
    }
}
