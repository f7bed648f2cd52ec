"""Tests the manifests: Kubernetes's schemas, names that refer to each other, paths and options that the server really has.

Program: ISOPOD (target/debug/isopod), with isopod-server in its folder."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import kubernetes_validate
import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "crates/server/test"))
import harness  # noqa: E402

# The oldest and the newest version that the manifests are for.
VERSIONS = ("1.29", "1.37")
# Options of the path over Kafka.
OF_KAFKA = {"--kafka", "--topic", "--group", "--tables"}


def manifests() -> dict[str, dict]:
    """All objects but the list of files, by kind."""
    found = [yaml.safe_load((HERE / name).read_text()) for name in kustomization()["resources"]]
    return {each["kind"]: each for each in found}


def kustomization() -> dict:
    """The list of files and the values of an installation."""
    return yaml.safe_load((HERE / "kustomization.yaml").read_text())


def pod() -> dict:
    """The pod of the deployment."""
    return manifests()["Deployment"]["spec"]["template"]["spec"]


def server() -> dict:
    """The container of the server."""
    return pod()["containers"][0]


def options() -> dict[str, str]:
    """The server's options."""
    return dict(argument.split("=", 1) for argument in server()["args"])


class ManifestTest(unittest.TestCase):
    """The manifests as they are."""

    def test_every_object_is_of_the_schema(self) -> None:
        for version in VERSIONS:
            for kind, each in manifests().items():
                with self.subTest(version=version, kind=kind):
                    # The strict schemas refuse fields that Kubernetes does not know.
                    self.assertEqual(kubernetes_validate.validate(each, version, strict=True), version)

    def test_the_schema_refuses_what_kubernetes_does_not_know(self) -> None:
        wrong = manifests()["Deployment"]
        wrong["spec"]["template"]["spec"]["containers"][0]["livenessProbes"] = {}
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)

    def test_every_file_is_listed(self) -> None:
        listed = {*kustomization()["resources"], "kustomization.yaml"}
        self.assertEqual({path.name for path in HERE.glob("*.yaml")}, listed)

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl not found")
    def test_kustomize_makes_the_objects(self) -> None:
        done = subprocess.run(["kubectl", "kustomize", HERE], capture_output=True, text=True, check=True)
        made = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
        self.assertEqual(set(made), {*manifests(), "ConfigMap"})
        for each in made.values():
            kubernetes_validate.validate(each, VERSIONS[-1], strict=True)
        image = made["Deployment"]["spec"]["template"]["spec"]["containers"][0]["image"]
        self.assertRegex(image, r"^registry\.example/isopod-server:\d")

    def test_names_refer_to_each_other(self) -> None:
        deployment = manifests()["Deployment"]["spec"]
        labels = deployment["template"]["metadata"]["labels"]
        self.assertEqual(deployment["selector"]["matchLabels"], labels)
        self.assertEqual(manifests()["Service"]["spec"]["selector"], labels)
        self.assertEqual(manifests()["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"], labels)
        self.assertEqual(manifests()["Service"]["spec"]["ports"][0]["targetPort"], server()["ports"][0]["name"])
        volumes = {volume["name"] for volume in pod()["volumes"]}
        for container in (*pod()["initContainers"], server()):
            self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)
        configured = kustomization()["configMapGenerator"][0]
        keys = {literal.split("=")[0] for literal in configured["literals"]}
        for variable in server()["env"]:
            reference = variable["valueFrom"]["configMapKeyRef"]
            self.assertEqual((reference["name"], reference["key"] in keys), (configured["name"], True))
        used = set(re.findall(r"\$\((\w+)\)", " ".join(server()["args"])))
        self.assertEqual(used, {variable["name"] for variable in server()["env"]})

    def test_version_is_that_of_the_repository(self) -> None:
        version = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
        self.assertEqual(kustomization()["images"][0]["newTag"], version)

    def test_nothing_is_kept_on_a_node(self) -> None:
        self.assertTrue(all(set(volume) & {"secret", "emptyDir"} for volume in pod()["volumes"]))
        self.assertEqual(manifests()["PodDisruptionBudget"]["spec"]["maxUnavailable"], 1)
        self.assertGreater(manifests()["Deployment"]["spec"]["replicas"], 1)


class ProgramTest(unittest.TestCase):
    """The manifests beside the real server."""

    def test_options_are_those_of_the_program(self) -> None:
        usage = subprocess.run([harness.SERVER, "--help"], capture_output=True, text=True, check=True).stdout
        known = set(re.findall(r"--[a-z-]+", usage))
        self.assertEqual(set(options()) - known - OF_KAFKA, set())
        self.assertLessEqual(OF_KAFKA, set(options()))

    def test_the_server_answers_where_the_probes_ask(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        mine = {option: value for option, value in options().items() if option not in OF_KAFKA | {"--data", "--keys", "--listen"}}
        running = harness.Server(fleet.server, options=tuple(f"{option}={value}" for option, value in mine.items()))
        running.context = harness.trusting(fleet)
        with running:
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = server()[probe]["httpGet"]
                self.assertEqual((asked["scheme"], asked["port"]), ("HTTPS", "https"))
                self.assertEqual(running.ask("GET", asked["path"]).status, 200, probe)

    def test_keys_of_a_secret_are_usable_where_the_first_container_puts_them(self) -> None:
        fleet = harness.Fleet(1, certify=True)
        secret, keys = harness.folder() / "secret", harness.folder() / "keys"
        data = secret / "..data"
        shutil.copytree(fleet.server, data)
        for path in data.iterdir():
            path.chmod(0o440)
            (secret / path.name).symlink_to(path)
        keys.mkdir(mode=0o777)
        command = pod()["initContainers"][0]["command"]
        self.assertEqual(command[:2], ["sh", "-c"])
        script = command[2].replace("/secret", str(secret)).replace("/keys", str(keys))
        subprocess.run(["sh", "-c", script], check=True)
        self.assertEqual({path.name for path in keys.iterdir()}, {path.name for path in fleet.server.iterdir()})
        running = harness.Server(keys)
        running.context = harness.trusting(fleet)
        with running:
            owner = {"Authorization": f"Bearer {fleet.token()}"}
            self.assertEqual(running.send(*fleet.frames(1).values(), headers=owner).status, 200)

    def test_the_grace_is_longer_than_the_server_takes_to_end(self) -> None:
        page = (ROOT / "docs/guides/operations.md").read_text()
        told = re.search(r"ends\s+requests\s+within\s+(\w+)\s+seconds,\s+lets\s+a\s+job\s+finish\s+within\s+(\w+)", page)
        numbers = {"ten": 10, "twenty": 20}
        self.assertGreater(pod()["terminationGracePeriodSeconds"], sum(numbers[word] for word in told.groups()))


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main()
