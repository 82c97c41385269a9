/** The page of the dashboard, and its substitutes while it is being built, or after that failed. */
import { randomBytes } from 'node:crypto'
import { escaped, PLAIN_POLICY, type PlainPage, plainPage } from '../../http/html.ts'

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

/**
 * @param template `index.html` as it was built
 * @param path of the dashboard as the client sees it, ending with a slash
 */
export function builtPage(template: string, path: string): Page {
  const nonce = randomBytes(18).toString('base64')
  const html = template.replaceAll(NONCE, nonce).replaceAll(BASE, escaped(path))
  return { status: 200, html, policy: policyOf(nonce) }
}

/** Reloads itself until the dashboard has been built. */
export const waitingPage = (): Page =>
  substitute({
    title: 'The dashboard is being built',
    head: '<meta http-equiv="refresh" content="2">',
    body: '<p>This happens once after an installation or an upgrade, and takes some seconds. This page loads again by itself.</p>',
  })

export const failedPage = (reason: string): Page =>
  substitute({
    title: 'The dashboard could not be built',
    body: `<p>The FHIR server works all the same. <code>npm run dashboard</code> tries again, as the next start does. The reason:</p>
<pre>${escaped(reason)}</pre>`,
  })

const substitute = (page: PlainPage): Page => ({ status: 503, html: plainPage(page), policy: PLAIN_POLICY })
