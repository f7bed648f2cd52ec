package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTheBackendMakesNoKeys: a server's program does not contain the code that makes keys.
func TestTheBackendMakesNoKeys(t *testing.T) {
	listed, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := string(listed)
	if !strings.Contains(packages, "isopod/deep/circuit") || strings.Contains(packages, "isopod/deep/generate") {
		t.Errorf("the backend is made of %s", packages)
	}
}
