import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { escapeXml } from './terminal-svg.js';

const width = 860;
const padding = 20;
const header = 42;
/** The width of a character on average, at most. */
const character = 7.6;

const style = `
.page { font: 14px/1.5 -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; box-sizing: border-box; height: 100%;
  color: #1f2328; background: #ffffff; border: 1px solid #d1d9e0; border-radius: 8px; overflow: hidden }
header { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 10px ${padding}px; line-height: 21px }
main { padding: 14px ${padding}px }
p, ul, table, pre, blockquote { margin: 0 0 14px }
ul { padding-left: 26px } li > ul { margin: 0 }
h3 { font-size: 17px; margin: 20px 0 12px } h4 { font-size: 14px; margin: 18px 0 10px }
code { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; background: #818b981f;
  border-radius: 5px; padding: 2px 5px; overflow-wrap: anywhere }
blockquote { border-left: 4px solid #cf222e; padding: 0 14px }
details { margin: 0 0 12px }
@media (prefers-color-scheme: dark) {
  .page { color: #f0f6fc; background: #0d1117; border-color: #3d444d }
  header { background: #151b23; border-color: #3d444d }
}`;

/** A comment as the host of a repository shows it, as an SVG image with HTML in it. */
export function commentSvg(title: string, markdown: string): string {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const alerts = html.replace(
    /\[!([A-Z])([A-Z]+)\]/g,
    (_, first, rest) => `<b>${first}${rest.toLowerCase()}</b><br />`,
  );
  const height = header + heightOf(alerts);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(title)}</title>
<style>${escapeXml(style)}</style>
<foreignObject width="${width}" height="${height}">
<div xmlns="http://www.w3.org/1999/xhtml" class="page">
<header><b>ci-bot</b> commented on the pull request</header>
<main>
${alerts}
</main>
</div>
</foreignObject>
</svg>
`;
}

/** Enough for every block, wrapped: an image cannot measure its own text. What is folded takes one line. */
function heightOf(html: string): number {
  const shown = html.replace(/<details>(<summary>.*?<\/summary>).*?<\/details>/gs, '<p>$1</p>');
  const blocks = Array.from(shown.matchAll(/<(h3|h4|p|li)>(.*?)(?=<(?:h3|h4|p|li|\/ul|ul)\b|$)/gs));
  return blocks.reduce((sum, [, tag = '', content = '']) => sum + blockHeight(tag, content), padding + 14);
}

function blockHeight(tag: string, content: string): number {
  const text = content
    .replace(/<[^>]*>/g, '')
    .replace(/&\w+;/g, '&')
    .trim();
  if (text === '') return 0;
  const lines = Math.ceil((text.length * character) / (width - 2 * padding - 40));
  return lines * 21 + { h3: 36, h4: 28, p: 14, li: 2 }[tag as 'h3' | 'h4' | 'p' | 'li'];
}
