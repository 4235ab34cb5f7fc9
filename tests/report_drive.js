/*
 * Uses a page of a report as a reader does, in a browser: put into a copy of the page by tests/cli/report_browser.sh. What it
 * found goes into <pre id="drive">: "drive: ok", or a line for each thing that is wrong. The overview must have lists and tiles;
 * on other pages those are used that are there.
 */
"use strict";

addEventListener("load", () => {
	const wrong = [];
	const check = (holds, what) => holds || wrong.push(what);
	const all = (selector) => [...document.querySelectorAll(selector)];
	const shown = () => all("table.list tr.row").filter((row) => !row.hidden);
	const press = (key) =>
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
	const isOverview = document.body.dataset.page === "index";
	const filter = document.getElementById("filter");
	const type = (text) => {
		filter.value = text;
		filter.dispatchEvent(new Event("input", {bubbles: true}));
	};

	const useFilter = () => {
		const count = shown().length;
		check(count > 1 || !isOverview, "there are rows");
		if (count < 2)
			return;
		press("/");
		check(document.activeElement === filter, "/ goes to the filter");
		const text = shown()[1].textContent.trim().split(/\s+/)[0];
		type(text.toUpperCase());
		check(shown().length > 0 && shown().length <= count, "the filter shows some rows");
		check(shown().every((row) => row.textContent.toLowerCase().includes(text.toLowerCase())), "they have the word");
		check(document.getElementById("shown").textContent === `${shown().length} of ${count} rows`, "the count is said");
		type("no such thing anywhere");
		check(shown().length === 0, "a filter that nothing matches hides all");
		press("Escape");
		check(filter.value === "" && shown().length === count, "Escape clears the filter");
	};

	const useKeys = () => {
		const rows = shown();
		let opened = "";
		if (rows.length < 2)
			return;
		addEventListener("click", (event) => {
			opened = event.target.closest("a")?.href ?? opened;
			event.preventDefault();
		}, {once: true});
		press("j");
		check(document.activeElement === rows[0], "j goes to the first row");
		press("ArrowDown");
		check(document.activeElement === rows[1], "the arrow goes on");
		press("k");
		check(document.activeElement === rows[0], "k goes back");
		press("Enter");
		check(opened === (rows[0].querySelector("a")?.href ?? ""), "Enter opens the row's link");
		document.activeElement.blur();
	};

	const useTiles = () => {
		const tile = all(".tile[data-kind]").find(({dataset}) => document.querySelector(`tr.row.${dataset.kind}`));
		check(tile || !isOverview, "there is a tile with rows");
		if (!tile)
			return;
		const {kind} = tile.dataset;
		const count = shown().length;
		const others = () => shown().filter((row) => {
			const table = row.closest("table");
			return table.querySelector(`tr.row.${kind}`) && !row.classList.contains(kind);
		});
		tile.click();
		check(tile.getAttribute("aria-pressed") === "true" && others().length === 0, "a tile shows its verdict alone");
		tile.click();
		check(tile.getAttribute("aria-pressed") === "false" && shown().length === count, "pressed again, it shows all");
	};

	const useSort = () => {
		for (const header of all("table.list th[data-sort]")) {
			const rows = () => [...header.closest("table").tBodies[0].rows];
			const isNumber = header.dataset.sort === "number";
			const values = () => rows().map((row) => {
				const cell = row.cells[header.cellIndex];
				const text = cell.dataset.value ?? cell.textContent.trim();
				return isNumber ? parseFloat(text) : text.toLowerCase();
			}).filter((value) => !Number.isNaN(value));
			const isOrdered = (sign) => values().every((value, at, list) => !at || (list[at - 1] < value ? -1 : 1) * sign >= 0 || list[at - 1] === value);
			const button = header.querySelector("button");
			const count = rows().length;
			if (!button)
				continue;
			button.click();
			const first = header.getAttribute("aria-sort");
			check(first === (isNumber ? "descending" : "ascending"), `${header.textContent}: aria-sort`);
			check(isOrdered(isNumber ? 1 : -1), `${header.textContent}: sorted`);
			button.click();
			check(isOrdered(isNumber ? -1 : 1), `${header.textContent}: sorted the other way`);
			check(rows().length === count, `${header.textContent}: no row is lost`);
		}
	};

	/* WCAG 2, contrast: 4.5 for text, against the nearest color behind it. */
	const luminance = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (element) => {
		for (let at = element; at; at = at.parentElement) {
			const colour = getComputedStyle(at).backgroundColor;
			if (!/, 0\)$/.test(colour))
				return colour;
		}
		return "rgb(255, 255, 255)";
	};
	const checkContrast = () => {
		const theme = document.documentElement.dataset.theme;
		const found = new Set();
		for (const element of all("body *")) {
			if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
				continue;
			const style = getComputedStyle(element);
			const colour = element instanceof SVGElement ? style.fill : style.color;
			if (!colour.startsWith("rgb") || !element.getClientRects().length)
				continue;
			const [dark, light] = [luminance(colour), luminance(behind(element))].sort((a, b) => a - b);
			if ((light + 0.05) / (dark + 0.05) < 4.5)
				found.add(`${theme}: contrast of ${element.tagName} ${element.getAttribute("class")}: ${colour} on ${behind(element)}`);
		}
		wrong.push(...found);
	};
	const useTheme = () => {
		const button = document.getElementById("theme");
		const papers = new Set();
		for (let i = 0; i < 2; i++) {
			button.click();
			papers.add(getComputedStyle(document.body).backgroundColor);
			checkContrast();
		}
		check(papers.size === 2, "the button changes the colours");
		check(button.getAttribute("aria-label"), "the button has a name");
	};

	for (const use of [useFilter, useKeys, useTiles, useSort, useTheme]) {
		try {
			use();
		} catch (error) {
			wrong.push(`${use.name}: ${error}`);
		}
	}
	const paint = performance.getEntriesByName("first-contentful-paint")[0];
	const out = document.createElement("pre");
	out.id = "drive";
	out.textContent = `drive: ${wrong.length ? `\n${wrong.join("\n")}` : "ok"}\npaint: ${paint ? Math.round(paint.startTime) : "-"} ms\n`;
	document.body.append(out);
});
