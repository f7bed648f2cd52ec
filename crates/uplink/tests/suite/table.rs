//! The table of radios.
#![allow(clippy::unwrap_used)]

use isopod_uplink::{Sender, Senders};

#[test]
fn each_radio_has_one_device_and_a_device_may_have_several() {
    let text =
        "eui,device\r\n70B3D57ED0041A2B,7\r\n70b3d57ed0041a2c,7\n1D3AC5,18446744073709551615\n0,0";
    for text in [text.to_owned(), format!("{text}\n")] {
        let senders = Senders::read(text.as_bytes()).unwrap();
        assert_eq!(senders.len(), 4);
        assert_eq!(senders.device(Sender::Eui(0x70b3_d57e_d004_1a2b)), Some(7));
        assert_eq!(senders.device(Sender::Eui(0x70b3_d57e_d004_1a2c)), Some(7));
        assert_eq!(senders.device(Sender::Sigfox(0x1d_3ac5)), Some(u64::MAX));
        assert_eq!(senders.device(Sender::Sigfox(0)), Some(0));
        assert_eq!(senders.device(Sender::Eui(0)), None);
        assert_eq!(senders.device(Sender::Eui(0x1d_3ac5)), None);
    }
    assert!(Senders::read(b"eui,device\n").unwrap().is_empty());
}

#[test]
fn a_wrong_line_is_refused_by_its_number() {
    for (lines, wanted) in [
        ("", "line 1: ; allowed is the header eui,device"),
        ("device,eui\n", "line 1: device,eui; allowed is the header"),
        ("\u{feff}eui,device\n", "line 1: \\u{feff}eui,device"),
        ("eui,device\n\n", "line 2: ; allowed is an eui, a comma"),
        ("eui,device\n70B3D57ED0041A2B\n", "line 2: 70B3D57ED0041A2B"),
        (
            "eui,device\n1,1\n70B3D57ED0041A2,7\n",
            "line 3: eui: 70B3D57ED0041A2; allowed are 16",
        ),
        (
            "eui,device\n70-B3-D5-7E-D0-04-1A-2B,7\n",
            "line 2: eui: 70-B3",
        ),
        ("eui,device\n 70B3D57ED0041A2B,7\n", "line 2: eui:  70B3"),
        (
            "eui,device\n\"70B3D57ED0041A2B\",7\n",
            "line 2: eui: \\\"70B3",
        ),
        (
            "eui,device\n70B3D57ED0041A2G,7\n",
            "line 2: eui: 70B3D57ED0041A2G",
        ),
        ("eui,device\n+0B3D57ED0041A2B,7\n", "line 2: eui: +0B3"),
        (
            "eui,device\n1,18446744073709551616\n",
            "line 2: device: 18446744073709551616; allowed is a number from 0",
        ),
        ("eui,device\n1,-1\n", "line 2: device: -1"),
        ("eui,device\n1,+1\n", "line 2: device: +1"),
        ("eui,device\n1,\n", "line 2: device: ; "),
        ("eui,device\n1,7,8\n", "line 2: device: 7,8"),
        ("eui,device\n1,7 \n", "line 2: device: 7 "),
        ("eui,device\n1,7\n\n2,8\n", "line 3: ; allowed"),
        (
            "eui,device\n1D3AC5,7\n2,8\n001d3ac5,9\n",
            "line 4: eui: 001d3ac5 stands on line 2, too",
        ),
        (
            "eui,device\n70B3D57ED0041A2B,7\n70b3d57ed0041a2b,7\n",
            "line 3: eui: 70b3d57ed0041a2b stands on line 2",
        ),
    ] {
        let found = Senders::read(lines.as_bytes()).unwrap_err().to_string();
        assert!(
            found.starts_with(wanted) && found.contains("; allowed"),
            "{lines:?}: {found}"
        );
    }
    let found = Senders::read(b"eui,device\n\xff,1\n").unwrap_err();
    assert!(
        found.to_string().starts_with("line 2: not UTF-8"),
        "{found}"
    );
}

#[test]
fn a_table_of_a_large_fleet() {
    let mut text = String::from("eui,device\n");
    for device in 0..100_000 {
        text += &format!("{:016X},{device}\n", 0x70b3_d57e_d000_0000_u64 + device);
    }
    let senders = Senders::read(text.as_bytes()).unwrap();
    assert_eq!(senders.len(), 100_000);
    let last = Sender::Eui(0x70b3_d57e_d000_0000 + 99_999);
    assert_eq!(senders.device(last), Some(99_999));
}
