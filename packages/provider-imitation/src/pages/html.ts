/** A text as it stands in a page or in an attribute. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 12vh auto; padding: 0 1rem }
  button { display: block; width: 100%; margin: .5rem 0; padding: .6rem 1rem; font: inherit; text-align: left; cursor: pointer; border: 1px solid; border-radius: 6px }
  small { display: block; opacity: .7 }
</style>
${body}
</html>
`;
