/** Stands for code, a number of code spans in a row, or an address. */
const CODE = "§";

const blank = (text) => text.replaceAll(/[^\n]/g, " ");

/** Replaces code, links and markup of one paragraph, and keeps its line breaks. */
export function plain(text) {
  const breaks = (found) => found.replaceAll(/[^\n]/g, "");
  return text
    .replaceAll(/(`+)(?!`)[^]*?[^`]\1(?!`)/g, (found) => CODE + breaks(found))
    .replaceAll(/\{@link\s[^}]*\}/g, (found) => CODE + breaks(found))
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<?\bhttps?:\/\/[^\s)>]+>?/g, CODE)
    .replaceAll(/\*\*|__/g, "")
    .replaceAll(/§(?:(?:,| and| or|, and|, or| to)?\s+§)+/g, (found) => CODE + breaks(found));
}

/**
 * The paragraphs of a Markdown text: headings, list items, table cells and running text, without code.
 *
 * @returns {{text: string, line: number, isHeading: boolean}[]}
 */
export function paragraphsOf(markdown, firstLine = 1) {
  const text = markdown
    .replaceAll(/^( *)(```|~~~)[^]*?^\1\2.*$/gm, blank)
    .replaceAll(/<!--[^]*?-->/g, blank)
    .replace(/^---\n[^]*?\n---$/m, (found, at) => (at === 0 ? blank(found) : found));
  const found = [];
  let open = null;
  const close = () => {
    if (open !== null) found.push(open);
    open = null;
  };
  /** Columns of the text of the list item that is open. */
  let indent = 0;
  let isAfterBlank = true;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = firstLine + index;
    const content = whole.trim();
    const columns = whole.length - whole.trimStart().length;
    if (content === "") {
      close();
      isAfterBlank = true;
      continue;
    }
    const item = /^\s*(?:[-*+]|\d+\.)\s+/.exec(whole);
    if (isAfterBlank && columns === 0 && item === null) indent = 0;
    const isCode = isAfterBlank && columns >= indent + 4;
    if (isCode) continue;
    if (columns >= indent + 4 && open === null) continue;
    isAfterBlank = false;
    if (content.startsWith("|")) {
      close();
      const cells = content.replaceAll("\\|", "/").split("|");
      for (const cell of cells) found.push({ text: cell, line, isHeading: false });
    } else if (/^#{1,6} /.test(content)) {
      close();
      found.push({ text: content.replace(/^#+ /, ""), line, isHeading: true });
    } else if (item !== null) {
      close();
      indent = item[0].length;
      open = { text: whole.slice(indent), line, isHeading: false };
    } else if (open === null) open = { text: content, line, isHeading: false };
    else open.text += `\n${content}`;
  }
  close();
  return found.map((each) => ({ ...each, text: plain(each.text) }));
}

/** The paragraphs of a comment. Consecutive lines with `//` are one comment. */
export function paragraphsOfComment(text, line) {
  const body = text.startsWith("//")
    ? text.replaceAll(/^\s*\/\/[/!]? ?/gm, "")
    : text.replace(/\*\/$/, "").replaceAll(/^\s*(?:\/\*+|\*) ?/gm, "");
  const isNotice = /^\s*(?:biome-ignore|oxlint-|eslint-|@jest|prettier-|@ts-|#region|#endregion|@__)/.test(body);
  if (isNotice) return [];
  return paragraphsOf(
    body
      .replaceAll(/^(\s*)@(?:param|returns?|typedef|throws|template|type|default)\b(?: \{[^\n]*?\}(?= |$))?/gm, "\n$1")
      .replaceAll(/^\n/gm, "\n"),
    line,
  );
}
