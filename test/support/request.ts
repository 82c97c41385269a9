/** A request to a server, and the parts of its response that tests look at. */

export interface FhirResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body parsed, typed loosely for assertions; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into bodies of every shape
  readonly body: any
}

export async function request(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<FhirResponse> {
  const contentType =
    body === undefined
      ? {}
      : { 'content-type': method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json' }
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...contentType, ...headers },
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined ? {} : { body: sentAs(body) }),
  }).catch((error: unknown) => {
    throw brokenOff(`${method} ${path}`, error)
  })
  const text = await response.text()
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

function sentAs(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Adds the request and the state of its connection to the error of fetch. */
function brokenOff(request: string, error: unknown): Error {
  const { cause } = error instanceof Error ? error : {}
  const { message = '', socket } = (cause ?? {}) as { message?: string; socket?: object }
  return new Error(`${request} broke off: ${message} ${JSON.stringify(socket)}`, { cause: error })
}
