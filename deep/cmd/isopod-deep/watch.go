package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"isopod/deep/pipe"
)

const interval = 200 * time.Millisecond

// watch ends the program where it outgrows its memory, or where its host is gone.
func watch(memory int64) {
	parent := os.Getppid()
	for range time.Tick(interval) {
		if os.Getppid() != parent {
			os.Exit(1)
		}
		if resident := residentBytes(); resident > memory {
			fmt.Fprintf(os.Stderr, "isopod-deep: memory: %d bytes; allowed are %d\n", resident, memory)
			os.Exit(pipe.CodeMemory)
		}
	}
}

// residentBytes is 0 where the system does not tell.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var pages, resident int64
	if _, err := fmt.Sscan(string(text), &pages, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}

// availableBytes is the memory that the machine has left, where the system tells.
func availableBytes() (available int64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, found := strings.Cut(string(text), "MemAvailable:")
	if _, err := fmt.Sscan(rest, &available); !found || err != nil {
		return 0, false
	}
	return available << 10, true
}
