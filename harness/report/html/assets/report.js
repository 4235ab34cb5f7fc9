/*
 * The pages of `bench report`: the theme, the filter, the verdict tiles, sorting, and walking over rows with the keyboard.
 * Everything can be read without it. It makes no markup of texts, asks nobody anything, and keeps only the theme.
 */
"use strict";

(() => {
	const KEY = "bench-theme";
	const root = document.documentElement;

	/* A browser may keep nothing for files: then the theme lasts as long as the page. */
	const remembered = () => {
		try {
			return localStorage.getItem(KEY);
		} catch {
			return null;
		}
	};
	const remember = (theme) => {
		try {
			localStorage.setItem(KEY, theme);
		} catch {
			/* It lasts as long as the page. */
		}
	};
	const isDark = () =>
		root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

	/* Before the page is painted. */
	const theme = remembered();
	if (theme === "light" || theme === "dark")
		root.dataset.theme = theme;

	const startTheme = () => {
		const button = document.getElementById("theme");
		if (!button)
			return;
		const say = () => {
			button.textContent = isDark() ? "light" : "dark";
			button.setAttribute("aria-label", `show in ${button.textContent} colours`);
		};
		button.addEventListener("click", () => {
			root.dataset.theme = isDark() ? "light" : "dark";
			remember(root.dataset.theme);
			say();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
		say();
	};

	/* A phone shows rows as blocks, where no header stands above a cell. */
	const labelCells = () => {
		for (const table of document.querySelectorAll("table.list")) {
			const titles = [...table.querySelectorAll("th")].map((header) => header.textContent.trim());
			for (const row of table.querySelectorAll("tr.row"))
				for (const cell of row.cells)
					if (!cell.querySelector(".verdict, a, .spark"))
						cell.dataset.label = titles[cell.cellIndex];
			table.classList.add("cards");
		}
	};

	/* The rows of every list, with the text that the filter looks at; read once. */
	let rows = [];
	const readRows = () => {
		rows = [];
		for (const table of document.querySelectorAll("table.list")) {
			const kinds = new Set();
			for (const element of table.querySelectorAll("tr.row")) {
				element.classList.forEach((name) => kinds.add(name));
				rows.push({element, kinds, text: element.textContent.toLowerCase()});
			}
		}
	};
	const visibleRows = () =>
		[...document.querySelectorAll("table.list tr.row")].filter((row) => !row.hidden && row.getClientRects().length);

	/* All words are in the row, and its verdict is one of the pressed tiles'; lists without such verdicts stay. */
	const filter = () => {
		const input = document.getElementById("filter");
		const words = (input ? input.value : "").toLowerCase().split(/\s+/).filter(Boolean);
		const pressed = [...document.querySelectorAll('.tile[data-kind][aria-pressed="true"]')].map((tile) => tile.dataset.kind);
		let shown = 0;
		for (const {element, kinds, text} of rows) {
			const meant = pressed.filter((kind) => kinds.has(kind));
			element.hidden =
				!words.every((word) => text.includes(word)) ||
				(meant.length > 0 && !meant.some((kind) => element.classList.contains(kind)));
			shown += !element.hidden;
		}
		const status = document.getElementById("shown");
		if (status)
			status.textContent = words.length || pressed.length ? `${shown} of ${rows.length} rows` : "";
	};

	const startFilter = () => {
		const input = document.getElementById("filter");
		if (input && rows.length) {
			const status = document.createElement("span");
			const hint = document.createElement("p");
			status.id = "shown";
			status.setAttribute("role", "status");
			hint.className = "hint keys";
			hint.textContent = "Keys: / filters, j and k walk over the rows, Enter opens one, Esc clears the filter.";
			input.after(status);
			document.querySelector("main")?.append(hint);
			input.addEventListener("input", filter);
		}
		for (const tile of document.querySelectorAll(".tile[data-kind]"))
			tile.addEventListener("click", () => {
				tile.setAttribute("aria-pressed", String(tile.getAttribute("aria-pressed") !== "true"));
				filter();
			});
		/* Going back to a page, a browser may have kept what was typed. */
		addEventListener("pageshow", filter);
	};

	const valueOf = (row, column, isNumber) => {
		const cell = row.cells[column];
		const text = cell ? (cell.dataset.value ?? cell.textContent.trim()) : "";
		return isNumber ? parseFloat(text) : text.toLowerCase();
	};
	const sortBy = (header) => {
		const table = header.closest("table");
		const column = header.cellIndex;
		const isNumber = header.dataset.sort === "number";
		const before = header.getAttribute("aria-sort");
		/* Numbers begin with the largest, texts with the first. */
		const descending = before ? before === "ascending" : isNumber;
		const sign = descending ? -1 : 1;
		for (const body of table.tBodies) {
			const sorted = [...body.rows].map((row) => ({row, value: valueOf(row, column, isNumber)}));
			/* What has no number comes last, either way. */
			sorted.sort((a, b) => {
				if (isNumber && (Number.isNaN(a.value) || Number.isNaN(b.value)))
					return Number.isNaN(a.value) - Number.isNaN(b.value);
				return a.value < b.value ? -sign : a.value > b.value ? sign : 0;
			});
			body.append(...sorted.map(({row}) => row));
		}
		for (const other of table.querySelectorAll("th[aria-sort]"))
			other.removeAttribute("aria-sort");
		header.setAttribute("aria-sort", descending ? "descending" : "ascending");
	};
	const startSort = () => {
		for (const header of document.querySelectorAll("table.list th[data-sort]")) {
			if (!header.textContent)
				continue;
			const button = document.createElement("button");
			button.type = "button";
			button.append(...header.childNodes);
			button.addEventListener("click", () => sortBy(header));
			header.append(button);
		}
	};

	/* Moves the focus to the next row that can be seen, or to the one before. */
	const walk = (step) => {
		const all = visibleRows();
		const at = all.indexOf(document.activeElement.closest("tr.row"));
		const row = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
		if (!row)
			return;
		row.tabIndex = -1;
		row.focus();
		row.scrollIntoView({block: "nearest"});
	};
	const onKey = (event) => {
		const input = document.getElementById("filter");
		const focused = document.activeElement;
		const isTyping = focused.matches("input, textarea, select");
		const row = focused.matches("tr.row") ? focused : null;
		const inFilter = input && focused === input;
		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key === "/" && input && !isTyping) {
			input.focus();
			input.select();
		} else if (event.key === "Escape" && inFilter) {
			input.value = "";
			filter();
			input.blur();
		} else if ((event.key === "Enter" || event.key === "ArrowDown") && inFilter) {
			walk(1);
		} else if (event.key === "Enter" && row) {
			row.querySelector("a[href]")?.click();
		} else if (!isTyping && (event.key === "j" || (row && event.key === "ArrowDown"))) {
			walk(1);
		} else if (!isTyping && (event.key === "k" || (row && event.key === "ArrowUp"))) {
			walk(-1);
		} else {
			return;
		}
		event.preventDefault();
	};

	const start = () => {
		startTheme();
		labelCells();
		readRows();
		startFilter();
		startSort();
		filter();
		document.addEventListener("keydown", onKey);
	};
	if (document.readyState === "loading")
		document.addEventListener("DOMContentLoaded", start);
	else
		start();
})();
