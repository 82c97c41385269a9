/** Requests that may meet a fault: their response, or that their connection broke. */
import type { TestServer } from './server.ts'

export const FAULTS = '/clinics/demo-clinic/faults'

export interface Met {
  /** 0: there was no response, or not all of it. */
  readonly status: number
  /** As the response names them. */
  readonly label: string | null
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into bodies of every shape
  readonly body: any
}

const BROKEN: Met = { status: 0, label: null, headers: new Headers(), text: '', body: undefined }

/** @param headers in place of the token of the demo's staff where they have another `authorization` */
export async function attempt(
  { url, token }: Pick<TestServer, 'url' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Met> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/fhir+json' }),
        authorization: `Bearer ${token}`,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { status } = response
    const label = response.headers.get('x-sandbox-fault')
    const text = await response.text().catch(() => undefined)
    if (text === undefined) return { ...BROKEN, label, headers: response.headers }
    return { status, label, headers: response.headers, text, body: parsed(text) }
  } catch {
    return BROKEN
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
