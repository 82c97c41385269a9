/** HTML that this server writes itself: texts in it, and pages that forbid whatever is not their own. */
import { hash } from 'node:crypto'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text within an element, or within an attribute in double quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)

export interface PlainPage {
  readonly title: string
  /** Markup in the head, besides the title. */
  readonly head?: string
  /** Markup. */
  readonly body: string
  /** CSS in addition to that of all pages. */
  readonly style?: string
}

const STYLE = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 8vh auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem }
label { display: block; font-weight: 600; margin-top: 1rem }
input, select, button { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; margin-top: .25rem }
button { margin-top: 1.5rem; font-weight: 600; cursor: pointer }
dt { font-weight: 600 }
dd { margin: 0 0 .5rem }
pre { white-space: pre-wrap; border: 1px solid; border-radius: 4px; padding: 1rem }
.wrong { color: light-dark(#b00020, #ffb4ab) }`

const styleOf = (added: string | undefined): string => (added === undefined ? STYLE : `${STYLE}\n${added}`)

/** Content-Security-Policy: no script, and no style but that of the page: https://www.w3.org/TR/CSP3/. */
export const plainPolicy = ({ style }: Pick<PlainPage, 'style'> = {}): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', styleOf(style), 'base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The policy of pages without a style of their own. */
export const PLAIN_POLICY = plainPolicy()

/** A page without scripts, for phones too, which is served with `plainPolicy`. */
export const plainPage = ({ title, head = '', body, style }: PlainPage): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>${head}
<style>${styleOf(style)}</style></head>
<body><main>
<h1>${escaped(title)}</h1>
${body}
</main></body></html>
`
