// The page in the tool that pip installed: `b2nd view` serves it, and chromium shows a file. `web/ci` names the program.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { data, launch, shown, visit } from "./browser.js";

test("the tool that pip installed shows a file's values in the browser", async () => {
  const program = process.env.B2ND_INSTALLED;
  assert.ok(program, "B2ND_INSTALLED names the installed program");
  const file = join(data, "grid/i4_2d.b2nd");
  const server = spawn(program, ["view", "--no-open", file], { stdio: ["ignore", "pipe", "inherit"] });
  const browser = await launch();
  try {
    const [url] = await once(createInterface({ input: server.stdout }), "line");
    const { page, wrong } = await visit(browser, url);
    await shown(page);
    assert.equal(await page.locator("#view h1").textContent(), "i4_2d.b2ndndarray");
    await page.getByRole("button", { name: "Look at the values" }).click();
    await page.locator(".tab[data-view=table]").click();
    await shown(page);
    await page.waitForFunction(() => document.querySelector(".sheet td")?.textContent !== "…");
    const cells = await page.locator(".sheet tbody tr").first().locator("td").allTextContents();
    const row = JSON.parse(execFileSync(program, ["cat", "--json", file, "0"], { encoding: "utf8" }));
    assert.ok(cells.length > 4);
    assert.deepEqual(cells.map(Number), row.slice(0, cells.length));
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    server.kill("SIGINT");
    await once(server, "exit");
  }
});
