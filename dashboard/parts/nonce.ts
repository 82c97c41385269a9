/** The nonce of this page, which styles made by scripts must carry (Content-Security-Policy). */
export const nonce = (): string => document.querySelector('script')?.nonce ?? ''

// Libraries that make styles without Mantine look here for it.
Object.assign(globalThis, { __webpack_nonce__: nonce() })
