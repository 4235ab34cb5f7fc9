/*
 * Looks at pages and pictures as they are laid out: put into a page of its own by tests/cli/report_browser.sh, which names them in
 * DOCUMENTS. Each is loaded into a frame at the width of a phone, of a tablet and of a desk. What it found goes into <pre id="layout">:
 * "layout: ok", or a line for each text that overlaps another or a point, is struck through, is cut off, or is broken in its middle.
 */
"use strict";

const WIDTHS = [400, 800, 1280];
const MOST_EACH = 8; /* complaints about one page at one width */

/* A font's box is higher than its letters. */
const inset = ({left, right, top, bottom}) => {
	const by = 0.22 * (bottom - top);
	return {left: left + 1, right: right - 1, top: top + by, bottom: bottom - by};
};
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const isShown = (element) => element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length > 0;

/* What must not be broken in its middle: the identifier of a run, and a part of a title or of a term that has no
 * hyphen. */
const isWhole = (node) => /^\d{8}-\d{6}$/.test(node.data) || (node.parentElement.matches("h1, dt") && /^[\w=.:]+[,/]?$/.test(node.data));

/* Each line of each text, with the element that it stands in. */
const textsOf = (root) => {
	const found = [];
	const walk = root.createTreeWalker(root.documentElement, NodeFilter.SHOW_TEXT);
	for (let node = walk.nextNode(); node; node = walk.nextNode()) {
		const element = node.parentElement;
		if (!node.data.trim() || element.closest("title, style, script, defs, caption.none") || !isShown(element))
			continue;
		const range = root.createRange();
		range.selectNodeContents(node);
		const lines = [...range.getClientRects()].filter((rect) => rect.width > 1);
		for (const [at, rect] of lines.entries())
			found.push({element, text: node.data.trim().slice(0, 40), broken: at === 1 && isWhole(node), ...inset(rect)});
	}
	return found;
};

/* The straight pieces of what is drawn, but for grids and axes, as [x1, y1, x2, y2] on the screen. */
const piecesOf = (root) => {
	const pieces = [];
	for (const shape of root.querySelectorAll("svg line, svg polyline, svg path")) {
		const style = shape.ownerDocument.defaultView.getComputedStyle(shape);
		if (shape.closest("defs, .spark") || shape.matches(".grid, .point") || style.stroke === "none" || !isShown(shape) ||
			/^#e3e5e8|^#2c323a|rgb\(227, 229, 232\)|rgb\(44, 50, 58\)/i.test(style.stroke))
			continue;
		const matrix = shape.getScreenCTM();
		const onScreen = ([x, y]) => [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f];
		const numbers = (text) => (text.match(/-?[\d.]+/g) ?? []).map(Number);
		const runs = shape.tagName === "line" ? [["x1", "y1", "x2", "y2"].map((name) => Number(shape.getAttribute(name)))]
			: shape.tagName === "polyline" ? [numbers(shape.getAttribute("points"))]
			: (shape.getAttribute("d") ?? "").split("M").filter((run) => /^[\s\d.,L-]+$/.test(run)).map(numbers);
		for (const run of runs)
			for (let i = 0; i + 3 < run.length; i += 2)
				pieces.push([...onScreen(run.slice(i, i + 2)), ...onScreen(run.slice(i + 2, i + 4))]);
	}
	return pieces;
};

/* Liang and Barsky: does the piece enter the box? */
const enters = ([x1, y1, x2, y2], box) => {
	let from = 0;
	let to = 1;
	for (const [step, room] of [[x1 - x2, x1 - box.left], [x2 - x1, box.right - x1], [y1 - y2, y1 - box.top], [y2 - y1, box.bottom - y1]]) {
		if (step === 0 && room < 0)
			return false;
		if (step < 0)
			from = Math.max(from, room / step);
		if (step > 0)
			to = Math.min(to, room / step);
	}
	return from < to;
};

/* Is a text cut off by the picture, the page, or something around it? */
const cutting = (text, root) => {
	const view = root.documentElement;
	if (text.left < -1 || text.right > view.clientWidth + 1)
		return "the page";
	if (text.element instanceof root.defaultView.SVGElement) {
		const box = text.element.closest("svg").getBoundingClientRect();
		return text.left < box.left - 1 || text.right > box.right + 1 || text.top < box.top || text.bottom > box.bottom ? "the picture" : null;
	}
	for (let at = text.element; at && at !== view; at = at.parentElement) {
		const style = root.defaultView.getComputedStyle(at);
		if (/hidden|clip/.test(style.overflowX) && at.scrollWidth > at.clientWidth + 1)
			return `${at.tagName} ${at.className}`;
	}
	return null;
};

const lookAt = (root) => {
	const wrong = [];
	const texts = textsOf(root).sort((a, b) => a.top - b.top);
	const pieces = piecesOf(root);
	const points = [...root.querySelectorAll("svg circle, svg use")].filter((point) => isShown(point) && !point.closest(".spark"))
		.map((point) => point.getBoundingClientRect());
	for (const [at, text] of texts.entries()) {
		const cut = cutting(text, root);
		if (text.broken)
			wrong.push(`'${text.text}' is broken in its middle`);
		if (cut)
			wrong.push(`'${text.text}' is cut off by ${cut}`);
		for (let next = at + 1; next < texts.length && texts[next].top < text.bottom; next++)
			if (meet(text, texts[next]))
				wrong.push(`'${text.text}' and '${texts[next].text}' overlap`);
		if (!text.element.closest("svg"))
			continue;
		if (points.some((point) => meet(text, point)))
			wrong.push(`'${text.text}' stands on a point`);
		if (pieces.some((piece) => enters(piece, text)))
			wrong.push(`'${text.text}' is struck through`);
	}
	for (const row of root.querySelectorAll("table.list tr.row"))
		if (root.documentElement.clientWidth > 1000 && !row.querySelector(".text") && row.getBoundingClientRect().height > 110)
			wrong.push(`a row is ${Math.round(row.getBoundingClientRect().height)} px high: '${row.textContent.slice(0, 40)}'`);
	return wrong;
};

const load = (name, width) => new Promise((done) => {
	const frame = document.createElement("iframe");
	frame.width = width;
	frame.height = 900;
	frame.style.border = 0;
	frame.addEventListener("load", () => {
		const root = frame.contentDocument;
		for (const details of root.querySelectorAll("details"))
			details.open = true;
		const wrong = lookAt(root);
		frame.remove();
		done([...wrong.slice(0, MOST_EACH), ...(wrong.length > MOST_EACH ? [`and ${wrong.length - MOST_EACH} more`] : [])]
			.map((what) => `${name} at ${width} px: ${what}`));
	});
	frame.src = name;
	document.body.append(frame);
});

addEventListener("load", async () => {
	const wrong = [];
	for (const name of DOCUMENTS)
		for (const width of WIDTHS)
			wrong.push(...await load(name, width));
	const out = document.createElement("pre");
	out.id = "layout";
	out.textContent = `layout: ${wrong.length ? `\n${wrong.join("\n")}` : "ok"}\n`;
	document.body.append(out);
});
