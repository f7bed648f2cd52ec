// Two engines behind one small interface: Debian's Chromium by playwright-core, its Firefox by puppeteer-core over BiDi.
import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

/** Keeps each blob that becomes an address, so that tests can read downloads. */
const KEEP_BLOBS = `(() => {
  const make = URL.createObjectURL;
  window.keptBlobs = {};
  URL.createObjectURL = (blob) => { const at = make.call(URL, blob); window.keptBlobs[at] = blob; return at; };
})()`;

function path(...names) {
  for (const name of names) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // the next name
    }
  }
  return undefined;
}

async function openChromium(executablePath) {
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  return {
    name: "Chromium",
    close: () => browser.close(),
    async page(address, scheme, { width = 1000, before = "" } = {}) {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, acceptDownloads: true });
      const page = await context.newPage();
      await page.addInitScript(KEEP_BLOBS + before);
      await page.goto(address);
      return {
        native: page,
        evaluate: (expression) => page.evaluate(expression),
        choose: (id, file) => page.setInputFiles(`#${id}`, file),
        drop: (selector, file) => drop(page, selector, file),
        press: (key) => page.keyboard.press(key),
        type: (text) => page.keyboard.type(text),
        screenshot: (to) => page.screenshot({ path: to, fullPage: true }),
      };
    },
  };
}

/** Drops a file as a hand does. */
async function drop(page, selector, file) {
  const session = await page.context().newCDPSession(page);
  await page.locator(selector).scrollIntoViewIfNeeded();
  const box = await page.locator(selector).boundingBox();
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: box.x + 20, y: box.y + box.height / 2, data });
  }
}

async function openFirefox(executablePath) {
  const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
  return {
    name: "Firefox",
    close: () => browser.close(),
    async page(address, _scheme, { width = 1000 } = {}) {
      const page = await browser.newPage();
      await page.setViewport({ width, height: 900 });
      await page.evaluateOnNewDocument(KEEP_BLOBS);
      await page.goto(address);
      return {
        native: page,
        evaluate: (expression) => page.evaluate(expression),
        // Firefox takes a file of the same name for the same file, so the old choice goes first.
        choose: async (id, file) => {
          await page.evaluate(`document.getElementById('${id}').value = ''`);
          await (await page.$(`#${id}`)).uploadFile(file);
        },
        press: (key) => page.keyboard.press(key),
        type: (text) => page.keyboard.type(text),
        screenshot: (to) => page.screenshot({ path: to, fullPage: true }),
      };
    },
  };
}

/** The engines that are installed, as functions that start them. */
export function engines() {
  const [chrome, firefox] = [path("chromium", "google-chrome"), path("firefox-esr", "firefox")];
  return [
    { name: "Chromium", start: chrome && (() => openChromium(chrome)) },
    { name: "Firefox", start: firefox && (() => openFirefox(firefox)) },
  ];
}
