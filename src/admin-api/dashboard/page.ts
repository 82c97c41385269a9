/** The page of the dashboard, and its substitutes while it is being built, or after that failed. */
import { randomBytes } from 'node:crypto'
import { escaped } from '../../http/html.ts'

export interface Page {
  readonly status: number
  readonly html: string
  /** Content-Security-Policy: https://www.w3.org/TR/CSP3/ */
  readonly policy: string
}

/** Placeholders in the built page, replaced for each request. */
export const NONCE = '__NONCE__'
const BASE = '__BASE__'

/**
 * Forbids content from other origins. Styles that scripts make carry the nonce; documents are shown from memory
 * (`blob:`).
 * @param nonce of this request
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    'frame-src blob:',
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const newNonce = (): string => randomBytes(18).toString('base64')

/**
 * @param template `index.html` as it was built
 * @param path of the dashboard as the client sees it, ending with a slash
 */
export function builtPage(template: string, path: string): Page {
  const nonce = newNonce()
  const html = template.replaceAll(NONCE, nonce).replaceAll(BASE, escaped(path))
  return { status: 200, html, policy: policyOf(nonce) }
}

/** Reloads itself until the dashboard has been built. */
export const waitingPage = (): Page =>
  plainPage(503, '<meta http-equiv="refresh" content="2">', [
    'The dashboard is being built',
    'This happens once after an installation or an upgrade, and takes some seconds. This page loads again by itself.',
  ])

export const failedPage = (reason: string): Page =>
  plainPage(503, '', [
    'The dashboard could not be built',
    'The FHIR server works all the same. <code>npm run dashboard</code> tries again, as the next start does. The reason:',
    `<pre>${escaped(reason)}</pre>`,
  ])

function plainPage(status: number, head: string, [title = '', ...paragraphs]: readonly string[]): Page {
  const nonce = newNonce()
  const body = paragraphs.map((text) => (text.startsWith('<pre>') ? text : `<p>${text}</p>`)).join('\n')
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${head}
<style nonce="${nonce}">
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 15vh auto; padding: 0 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid; border-radius: 4px; padding: 1rem }
</style></head>
<body><h1>${title}</h1>
${body}
</body></html>
`
  return { status, html, policy: `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'` }
}
