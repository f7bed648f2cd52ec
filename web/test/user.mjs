// The page as its user has it: a server for it alone, and the steps of a hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { BUILT, ROOT } from "./setting.mjs";

const AXE = readFileSync(join(ROOT, "web/node_modules/axe-core/axe.min.js"), "utf8");

/** Serves a page alone and remembers what was asked. */
export async function serve(name = "isopod.html") {
  const asked = [];
  const page = readFileSync(join(BUILT, name));
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
    response.end(request.url === "/" ? page : "");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { asked, address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** The page with the steps of a user. */
export function user(page) {
  const value = (expression) => page.evaluate(`(async () => (${expression}))()`);
  const until = async (expression, what) => {
    for (let tries = 0; tries < 600; tries++) {
      if (await value(expression)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`${what} did not come about`);
  };
  return {
    value,
    until,
    ready: () => until("document.documentElement.dataset.ready === 'yes'", "a ready page"),
    fill: (id, text) => value(`document.getElementById('${id}').value = ${JSON.stringify(text)}`),
    /** Sends a form and waits for its outcome: the class and text of the message. */
    async send(form, message) {
      await value(`document.querySelector('#${form} button').click()`);
      await until(`!document.querySelector('#${form} button').disabled`, `the end of ${form}`);
      return value(`[document.getElementById('${message}').className, document.getElementById('${message}').textContent]`);
    },
    /** Presses a button of the question that comes up: `careful` or `anyway`. */
    async answer(which) {
      await until("document.getElementById('ask').open", "a question");
      await value(`document.getElementById('ask-${which}').click()`);
    },
    /** Chooses in a list, as a hand does. */
    pick: (id, choice) =>
      value(`(() => {
        const list = document.getElementById('${id}');
        list.value = ${JSON.stringify(choice)};
        list.dispatchEvent(new Event('change', { bubbles: true }));
      })()`),
    text: (id) => value(`document.getElementById('${id}').textContent`),
    async saved(list, name) {
      const text = await value(`new Promise((done) => {
        const link = [...document.querySelectorAll('#${list} a')].find((one) => one.download === '${name}');
        const reader = new FileReader();
        reader.onload = () => done(reader.result.split(',')[1]);
        reader.readAsDataURL(keptBlobs[link.href]);
      })`);
      return Buffer.from(text, "base64");
    },
    async axe(what) {
      await page.evaluate(AXE);
      const found = await value(
        "(await axe.run(document, { resultTypes: ['violations'] })).violations.map((one) => `${one.id}: ${one.nodes[0].html}`)",
      );
      assert.deepEqual(found, [], what);
    },
  };
}

export async function refused(me, form, message, wanted) {
  const [kind, text] = await me.send(form, message);
  assert.match(text, wanted);
  assert.equal(kind, "message error");
}
