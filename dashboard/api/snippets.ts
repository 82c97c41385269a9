/** A request as a program in JavaScript or Python that sends it; `TOKEN` stands for the token. */

export interface SentRequest {
  readonly method: string
  /** The whole address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** https://developer.mozilla.org/docs/Web/API/Fetch_API */
export function fetchSnippet({ method, url, headers, body }: SentRequest): string {
  const options = [
    `  method: ${JSON.stringify(method)},`,
    `  headers: ${object(headers)},`,
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
  ]
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...options,
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

/** https://requests.readthedocs.io/ */
export function pythonSnippet({ method, url, headers, body }: SentRequest): string {
  const last = body === undefined ? [] : [`    data=${JSON.stringify(body)}.encode(),`]
  return [
    'import requests',
    '',
    'response = requests.request(',
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    `    headers=${object(headers, '    ')},`,
    ...last,
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

function object(headers: Readonly<Record<string, string>>, indent = '  '): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${indent}  ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  )
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}
