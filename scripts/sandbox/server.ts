/** Requests of a command to the server, as an admin of a clinic or as an operator. */
import { problemOf } from '../../dashboard/api/problem.ts'
import { textOf, UsageError, type Values } from './arguments.ts'

/** The server did not respond. */
export class Unreachable extends Error {}

interface Login {
  readonly username: string
  readonly password: string
}

export interface Call {
  readonly method?: string
  /** Below the address of the server: `scenarios`. */
  readonly path: string
  /** An object is sent as JSON, a stream as it is. */
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export class Server {
  readonly url: string
  readonly clinic: string
  readonly #login: Login | undefined
  #token: string

  private constructor(url: string, clinic: string, token: string, login: Login | undefined) {
    this.url = url
    this.clinic = clinic
    this.#token = token
    this.#login = login
  }

  /** @throws UsageError where no clinic is known, Unreachable, Problem where the login is refused */
  static async connect(values: Values): Promise<Server> {
    const url = addressOf(values)
    const token = given(values, 'token')
    const login = {
      username: given(values, 'user') ?? 'admin',
      password: given(values, 'password') ?? 'admin',
    }
    const session = token === undefined ? await logIn(url, login) : { token, clinic: clinicIn(token) }
    const clinic = given(values, 'clinic') ?? session.clinic
    if (clinic === undefined) throw new UsageError('Which clinic? Name it with --clinic')
    return new Server(url, clinic, session.token, token === undefined ? login : undefined)
  }

  /** The path of something of the clinic: `clinics/demo-clinic/reset`. */
  own(path: string): string {
    return `clinics/${encodeURIComponent(this.clinic)}/${path}`
  }

  get token(): string {
    return this.#token
  }

  /** The same server for another clinic. @param token absent: that of this one */
  in(clinic: string, token?: string): Server {
    return new Server(this.url, clinic, token ?? this.#token, token === undefined ? this.#login : undefined)
  }

  /** The decoded body. @throws Problem, Unreachable */
  async ask<T>(call: Call): Promise<T> {
    const response = await this.open(call)
    const text = await response.text()
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** The response before its body is read. @throws Problem where it is a refusal, Unreachable */
  async open(call: Call): Promise<Response> {
    const response = await send(this.url, call, this.#token)
    if (response.ok) return response
    const mayLogIn = response.status === 401 && this.#login !== undefined && !(call.body instanceof ReadableStream)
    if (!mayLogIn || this.#login === undefined) throw await refusalOf(response)
    // The session has ended; a command such as `tail` runs for longer than one.
    this.#token = (await logIn(this.url, this.#login)).token
    const again = await send(this.url, call, this.#token)
    if (!again.ok) throw await refusalOf(again)
    return again
  }
}

/** The address of the sandbox, without a slash at its end. */
export const addressOf = (values: Values): string =>
  (given(values, 'url') ?? 'http://127.0.0.1:3000').replace(/\/+$/, '')

/** An option, or what the environment has in its place. */
const given = (values: Values, name: string): string | undefined =>
  textOf(values, name) ?? (process.env[`SANDBOX_${name.toUpperCase()}`] || undefined)

async function logIn(url: string, login: Login): Promise<{ readonly token: string; readonly clinic?: string }> {
  const response = await send(url, { method: 'POST', path: 'session', body: login })
  if (!response.ok) throw await refusalOf(response)
  return (await response.json()) as { token: string; clinic?: string }
}

/** The claim of a token of this server; others name the clinic in a claim of their own. */
function clinicIn(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { clinic?: unknown }
    return typeof claims.clinic === 'string' ? claims.clinic : undefined
  } catch {
    return undefined
  }
}

async function send(url: string, { method = 'GET', path, body, headers, signal }: Call, token = ''): Promise<Response> {
  const isStream = body instanceof ReadableStream
  try {
    return await fetch(`${url}/${path}`, {
      method,
      headers: {
        ...(body === undefined || isStream ? {} : { 'content-type': 'application/json' }),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : isStream ? { body, duplex: 'half' } : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable(`${url} does not respond (${reasonOf(error)}). Name a running server with --url`)
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}

async function refusalOf(response: Response) {
  const text = await response.text()
  try {
    return problemOf(response.status, JSON.parse(text))
  } catch {
    return problemOf(response.status, undefined)
  }
}
