// Runs inside the measured page before anything of it. Times are milliseconds; "painted" is the first task after a frame was made.
window.bench = (() => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(null);
  }));

  // From the moment the page's HTML is there until every step stands on the screen.
  const opened = new Promise((done) => {
    const seen = new MutationObserver(async () => {
      if (!document.querySelector(".steps [data-key]")) return;
      seen.disconnect();
      const drawn = performance.now();
      const shown = await painted();
      const begun = performance.getEntriesByType("navigation")[0].responseEnd;
      done({ drawn: drawn - begun, shown: shown - begun, elements: document.querySelectorAll(".canvas *").length });
    });
    seen.observe(document, { childList: true, subtree: true });
  });

  /** The next event of this type, until the steps' elements say what it changed, and until that is painted. */
  const after = (type) => new Promise((done) => window.addEventListener(type, async () => {
    const begun = performance.now();
    let changed = 0;
    const seen = new MutationObserver(() => (changed ||= performance.now()));
    seen.observe(document.querySelector(".steps"), { childList: true, subtree: true, characterData: true, attributes: true });
    const shown = await painted();
    seen.disconnect();
    done({ changed: (changed || shown) - begun, shown: shown - begun });
  }, { capture: true, once: true }));

  /** The time between frames while the drawing is pushed about, one push a frame. */
  const pan = (frames) => new Promise((done) => {
    const pane = document.querySelector(".react-flow__pane");
    const { left, top, width, height } = pane.getBoundingClientRect();
    const gaps = [];
    let last = 0;
    const push = (now) => {
      if (last) gaps.push(now - last);
      last = now;
      if (gaps.length === frames) return done(gaps);
      const deltaY = gaps.length < frames / 2 ? 90 : -90;
      pane.dispatchEvent(new WheelEvent("wheel", { deltaY, deltaX: deltaY / 6, clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }));
      requestAnimationFrame(push);
    };
    requestAnimationFrame(push);
  });

  /** The longest task from now until `stop` is called. */
  const longest = () => {
    let most = 0;
    const seen = new PerformanceObserver((list) => list.getEntries().forEach((each) => (most = Math.max(most, each.duration))));
    seen.observe({ type: "longtask" });
    return { stop: () => (seen.takeRecords().forEach((each) => (most = Math.max(most, each.duration))), seen.disconnect(), most) };
  };

  /** What this browser needs on this machine to put 500 plain cards into a page and lay them out: what figures are compared with. */
  const baseline = () => {
    const place = document.createElement("div");
    place.style.cssText = "position:absolute;left:0;top:0;contain:strict;width:9000px;height:9000px;visibility:hidden";
    document.body.append(place);
    const begun = performance.now();
    for (let at = 0; at < 500; at += 1) {
      const card = document.createElement("div");
      card.style.cssText = `position:absolute;left:${(at % 10) * 300}px;top:${Math.floor(at / 10) * 90}px;width:256px;height:60px`;
      for (const word of ["Send letter", "Function"]) {
        const line = document.createElement("span");
        line.textContent = `${word} ${at}`;
        card.append(line);
      }
      place.append(card);
    }
    void place.lastChild.getBoundingClientRect();
    const took = performance.now() - begun;
    place.remove();
    return took;
  };

  return { opened, after, pan, longest, baseline };
})();
