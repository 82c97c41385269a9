/**
 * The session: a cookie that no script can read renews it, and the short bearer token that it gives is kept in memory
 * only. When it has ended, the user enters the password over the page, which stays as it is.
 */
import { addressOf } from './address.ts'
import { heardTime, now } from './clock.ts'
import { isRecord, problemOf, unreachable } from './problem.ts'

export interface Session {
  readonly token: string
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
  readonly clinic: string | undefined
  readonly role: string
  readonly username: string
  readonly name: string
  /** The token is from another issuer: it cannot be renewed, and is lost when the page closes. */
  readonly isPasted: boolean
}

export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'signed-in'; readonly session: Session; readonly hasEnded: boolean }

/** Share of a token's lifetime after which the next one is requested. */
const RENEW_AFTER = 0.75
/** Milliseconds until a renewal that found no server is tried again. */
const TRY_AGAIN = 3000

let state: SessionState = { kind: 'starting' }
let timer: ReturnType<typeof setTimeout> | undefined
/** The outcome of a request for the next token. */
type Renewal = 'renewed' | 'refused' | 'away'

let renewing: Promise<Renewal> | undefined
let signingInAgain: PromiseWithResolvers<void> | undefined
const listeners = new Set<() => void>()
/** The windows of a browser share the session, so they end together. */
const windows = new BroadcastChannel(`sandbox-emr-session ${document.baseURI}`)
windows.onmessage = () => leave()

export const sessionState = (): SessionState => state

export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const currentSession = (): Session | undefined => (state.kind === 'signed-in' ? state.session : undefined)

/** At the start of the page: the session of the cookie, if there is one. */
export async function resumeSession(): Promise<void> {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void renewIfDue()
  })
  await renew()
}

/** @throws Problem of the server */
export async function signIn(username: string, password: string): Promise<void> {
  const answer = await post('session', { username, password, renewable: true })
  if (answer.status !== 200) throw problemOf(answer.status, answer.body)
  enter(sessionOf(answer.body))
}

/** @throws Error saying what is wrong with the text */
export function usePastedToken(text: string): void {
  enter(pastedSession(text.trim().replace(/^Bearer\s+/i, '')))
}

export async function signOut(): Promise<void> {
  const session = currentSession()
  leave()
  if (session === undefined || session.isPasted) return
  windows.postMessage('signed out')
  const headers = { authorization: `Bearer ${session.token}` }
  await fetch(addressOf('session'), { method: 'DELETE', headers }).catch(() => undefined)
}

/**
 * After a response 401: resolves when there is a token again, by renewal or by the password.
 * @param token which was refused
 * @throws Problem where the server is away
 */
export async function sessionAfter(token: string | undefined): Promise<void> {
  const session = currentSession()
  if (session === undefined || session.token !== token) return
  const renewal = session.isPasted ? 'refused' : await renew()
  if (renewal === 'away') throw unreachable()
  if (renewal === 'renewed' || state.kind !== 'signed-in') return
  signingInAgain ??= Promise.withResolvers()
  change({ ...state, hasEnded: true })
  await signingInAgain.promise
}

function enter(session: Session): void {
  clearTimeout(timer)
  change({ kind: 'signed-in', session, hasEnded: false })
  signingInAgain?.resolve()
  signingInAgain = undefined
  if (!session.isPasted) renewIn((session.expiresAt - now()) * RENEW_AFTER)
}

function leave(): void {
  clearTimeout(timer)
  signingInAgain?.resolve()
  signingInAgain = undefined
  change({ kind: 'signed-out' })
}

function change(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

function renewIn(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void renew(), Math.max(milliseconds, TRY_AGAIN))
}

/** Timers sleep with the machine. */
async function renewIfDue(): Promise<void> {
  const session = currentSession()
  if (session !== undefined && !session.isPasted && session.expiresAt - now() < 60_000) await renew()
}

/** Only one renewal is under way at a time. */
function renew(): Promise<Renewal> {
  renewing ??= askForNext().finally(() => {
    renewing = undefined
  })
  return renewing
}

async function askForNext(): Promise<Renewal> {
  const answer = await post('session/renewal').catch(() => undefined)
  if (answer?.status === 200) {
    enter(sessionOf(answer.body))
    return 'renewed'
  }
  // A missing response, a 5xx or a 429 does not mean that the session has ended.
  if (answer === undefined || answer.status >= 500 || answer.status === 429) {
    renewIn(TRY_AGAIN)
    return 'away'
  }
  if (state.kind === 'starting') leave()
  return 'refused'
}

/** @throws Problem where the server is away */
async function post(path: string, body?: object): Promise<{ readonly status: number; readonly body: unknown }> {
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  try {
    const response = await fetch(addressOf(path), { method: 'POST', ...sent })
    heardTime(response.headers.get('date'))
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    throw unreachable()
  }
}

function sessionOf(body: unknown): Session {
  const { token } = isRecord(body) ? body : {}
  return { ...pastedSession(String(token)), isPasted: false }
}

/** The session described by the claims of a token, which only the server can verify. */
function pastedSession(token: string): Session {
  const { sub, name, clinic, role, exp } = claimsOf(token)
  if (typeof sub !== 'string') throw new Error('This is no token of a session: it has no claim "sub".')
  return {
    token,
    expiresAt: typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY,
    clinic: typeof clinic === 'string' ? clinic : undefined,
    role: typeof role === 'string' ? role : 'staff',
    username: sub,
    name: typeof name === 'string' ? name : sub,
    isPasted: true,
  }
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (isRecord(claims)) return claims
  } catch {
    // Said below.
  }
  throw new Error('This is no JSON Web Token: it has three parts with dots between them.')
}
