/** Tokens of links that open something for whoever has them: 192 random bits, of which the store keeps the hash alone. */
import { hash, randomBytes } from 'node:crypto'

export const newLinkToken = (): string => randomBytes(24).toString('base64url')

/** True for a text that may be a token; any other need not be looked up. */
export const isLinkToken = (text: string): boolean => /^[\w-]{32}$/.test(text)

/** The key of its record. */
export const linkTokenKey = (token: string): string => hash('sha256', token)
