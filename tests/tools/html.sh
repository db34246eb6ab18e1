#!/bin/sh
# The HTML report in a real browser: no console errors, tables sort, nothing overlaps or runs out of the page at four widths,
# nothing is folded on paper.
. "${srcdir:-.}/tests/tools/expect.sh"
samples=$(cd "${srcdir:-.}" && pwd)/tests/tools/samples
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo 'SKIPPED: no Chromium here'; exit 77; }
python3 -c '' 2>/dev/null || { echo 'SKIPPED: no python3 here'; exit 77; }

# Call sites with the names that C++ makes.
long='pack_the_halo_of_the_ghost_cells.cpp:1234 in solver::communication::HaloExchange<...>::pack, from driver.cpp:77 in main'
sed "s/\"symbol\": \"\"/\"symbol\": \"$long\"/; s/\"mars\": /\"left to the MPI library: as fast or faster\": 9, \"mars\": /" "$samples/whole.json" > "$scratch/long.json"
grep -q 'HaloExchange' "$scratch/long.json" || wrong 'the sample has no call site to rename'
expect 0 '' "$marshal" report --no-symbols --html "$scratch/report.html" "$scratch/long.json"
expect 1 'marshal: ' "$marshal" report --html "$scratch/no/such/report.html" "$samples/whole.json"

# The page in frames of four widths; a script looks into each of them and writes what it saw into the outer page.
cat > "$scratch/look.js" <<'END'
const seen = [];
const look = frame => {
  const page = frame.contentDocument, width = frame.width, wrong = text => seen.push("WRONG at " + width + ": " + text);
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong("the page is wider than the screen: " + root.scrollWidth);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const apart = (elements, what) => {
    const boxes = [...elements].map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width > 0 && b.height > 0);
    boxes.forEach(([e, a], i) => boxes.slice(i + 1).forEach(([f, b]) => meet(a, b) && wrong(what + " overlap: " + e.textContent.slice(0, 30) + " / " + f.textContent.slice(0, 30))));
  };
  for (const bar of page.querySelectorAll("td > i")) if (bar.offsetWidth > bar.parentElement.clientWidth) wrong("a bar leaves its cell: " + bar.parentElement.textContent);
  for (const part of page.querySelectorAll(".side, .tiles")) apart(part.children, "figures");
  apart(page.body.children, "sections");
  // What is wider than the screen scrolls inside a box whose edges are seen.
  for (const box of page.querySelectorAll("pre.screen, .wide")) {
    if (box.getBoundingClientRect().right > root.clientWidth) wrong("a box runs off the page: " + box.textContent.slice(0, 30));
    const style = frame.contentWindow.getComputedStyle(box);
    if (box.scrollWidth > box.clientWidth && (style.overflowX !== "auto" || parseFloat(style.borderRightWidth) === 0))
      wrong("a box is cut: " + box.textContent.slice(0, 30));
  }
  if (width >= 1400)
    for (const part of page.querySelectorAll(".wide"))
      if (part.scrollWidth > part.clientWidth) wrong("a table is cut: " + part.textContent.slice(0, 30));
  let sorted = 0;
  for (const head of page.querySelectorAll("table.sortable th")) {
    const button = head.querySelector("button"), cells = () => [...head.closest("table").tBodies[0].rows].map(r => r.cells[head.cellIndex]);
    for (let press = 0; press < 2; ++press) {
      button.click();
      const falling = head.ariaSort === "descending", numbers = cells().some(c => c.dataset.v !== undefined);
      const values = cells().map(c => numbers ? Number(c.dataset.v ?? -Infinity) : c.textContent);
      const order = (a, b) => numbers ? a - b : a.localeCompare(b);
      values.forEach((v, i) => { if (i > 0 && (falling ? order(values[i - 1], v) < 0 : order(values[i - 1], v) > 0)) wrong("not sorted: " + head.textContent); });
      ++sorted;
    }
  }
  frame.contentWindow.dispatchEvent(new Event("beforeprint"));
  if ([...page.querySelectorAll("details")].some(part => !part.open)) wrong("a part is folded on paper");
  seen.push("looked at " + width + ", " + sorted + " sorts, " + page.querySelectorAll("svg").length + " pictures");
};
addEventListener("load", () => { document.querySelectorAll("iframe").forEach(look); document.body.textContent = seen.join("\n"); });
END
python3 - "$scratch" <<'END'
import html, sys
directory = sys.argv[1]
page = html.escape(open(directory + "/report.html").read(), quote=True)
frames = "".join(f'<iframe width="{w}" height="900" srcdoc="{page}"></iframe>' for w in (360, 390, 800, 1400))
open(directory + "/outer.html", "w").write(f'<!DOCTYPE html><html><body>{frames}<script>{open(directory + "/look.js").read()}</script></body></html>')
END
seen=$(HOME=$scratch timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" --enable-logging=stderr \
  --virtual-time-budget=5000 --window-size=1600,1000 --dump-dom "file://$scratch/outer.html" 2> "$scratch/console") || true
for width in 360 390 800 1400; do
  case $seen in *"looked at $width, "*) ;; *) wrong "nothing seen at $width" ;; esac
done
case $seen in *WRONG*) wrong "$seen" ;; esac
if grep CONSOLE "$scratch/console"; then wrong 'the console has messages'; fi
finish
