/** Mermaid diagrams as SVG, drawn at build time. */
import { renderMermaidSVG } from "beautiful-mermaid";

/** Colors of the theme, so that diagrams follow its light and dark mode. */
const colors = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--vp-c-text-2)",
  accent: "var(--vp-c-brand-1)",
  muted: "var(--vp-c-text-2)",
  surface: "var(--vp-c-bg-soft)",
  border: "var(--vp-c-border)",
};

function draw(source) {
  // It loads its font from another host. The site has fonts of its own.
  return renderMermaidSVG(source, { ...colors, padding: 12, font: "inherit", transparent: true }).replaceAll(
    /@import url\([^)]*\);?/g,
    "",
  );
}

const escapes = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** A markdown-it plugin: draws the fences with the language `mermaid`. */
export function diagrams(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    if (tokens[index].info.trim() !== "mermaid") return fence(tokens, index, options, env, self);
    // As `v-html`: Vue drops the style element of an SVG in a template.
    const html = JSON.stringify(draw(tokens[index].content)).replaceAll(/[&"<>]/g, (character) => escapes[character]);
    return `<div class="diagram" v-html="${html}"></div>\n`;
  };
}
