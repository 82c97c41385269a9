/** Redaction of exchanges in the journal: no secret is kept, and of attachments only the description. */
import { hash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { contentElement } from '../../../src/fhir/content/marker.ts'
import { beginningOf, beginningOfBytes, MAX_BODY, type SeenExchange } from '../../../src/record/journal/exchange.ts'
import { entryOf } from '../../../src/record/journal/pack.ts'

const SERVICE_SECRET = 'the-secret-of-the-service'

const SEEN: SeenExchange = {
  id: 'e1',
  direction: 'in',
  at: 0,
  duration: 1,
  clinic: 'c1',
  method: 'POST',
  address: '/Patient',
  status: 200,
  outcome: 'ok',
  requestHeaders: { 'content-type': 'application/json' },
  responseHeaders: { 'content-type': 'application/json' },
}

/** All that is stored of an exchange. */
function stored(seen: Partial<SeenExchange>): string {
  const { summary, detail, path } = entryOf({ ...SEEN, ...seen }, { mode: 'full', secrets: [SERVICE_SECRET] })
  return `${path}\n${summary}\n${detail}`
}

/** The body of the request, as it is shown. */
function kept(text: string, type = 'application/json', more: Partial<SeenExchange['requestBody']> = {}) {
  const requestHeaders = { 'content-type': type }
  const { detail } = entryOf(
    { ...SEEN, requestHeaders, requestBody: { ...beginningOf(text), ...more } },
    { mode: 'full', secrets: [] },
  )
  return JSON.parse(detail).request.body
}

const SECRET_NAMES = [
  ...['password', 'newPassword', 'currentPassword', 'passwd', 'secret', 'client_secret', 'webhookSecret', 'token'],
  ...['access_token', 'refreshToken', 'apiKey', 'api_key', 'x-api-key', 'authorization', 'cookie', 'credential'],
  ...['privateKey', 'client_assertion', 'sessionId', 'PASSWORD', 'pass-word'],
]
const name = fc.constantFrom(...SECRET_NAMES)
/** Long enough that it cannot occur by chance. */
const secret = fc.stringMatching(/^[A-Za-z0-9_~.-]{16,40}$/)
/** A secret with characters that JSON, forms and shells escape. */
const odd = fc.stringMatching(/^[A-Za-z0-9"\\/é€ +&=%<>'-]{14,30}$/).map((text) => `s${text.trim()}S3cret`)
const value = fc.oneof(secret, odd)
const around = fc.object({ maxDepth: 2, key: fc.stringMatching(/^[a-z]{1,6}$/), values: [fc.string(), fc.integer()] })

/** A value within an object, at some depth. */
const nested = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc.tuple(inner, around, fc.integer({ min: 0, max: 3 })).map(([one, others, depth]) => {
    let whole: object = { ...others, ...one }
    for (let level = 0; level < depth; level += 1) whole = level % 2 === 0 ? { inner: [1, whole] } : [whole, 'x']
    return whole
  })

/** Ways to send a secret. */
const ways: Readonly<Record<string, (secret: string, name: string, rest: object) => Partial<SeenExchange>>> = {
  'the token': (one) => ({ requestHeaders: { authorization: `Bearer ${one}` } }),
  'a cookie': (one) => ({ requestHeaders: { cookie: `a=1; emr_session=${one}` } }),
  'a cookie that is set': (one) => ({ responseHeaders: { 'set-cookie': `s=${one}; HttpOnly` } }),
  'the voice secret': (one) => ({ requestHeaders: { 'x-voice-secret': one } }),
  'a signature': (one) => ({ requestHeaders: { 'x-retell-signature': one } }),
  'a header of that name': (one, named) => ({ requestHeaders: { [named.toLowerCase()]: one } }),
  'the query': (one, named) => ({ address: `/Patient?family=x&${named}=${encodeURIComponent(one)}&_count=1` }),
  'the address of a redirection': (one, named) => ({
    responseHeaders: { location: `/next?${named}=${encodeURIComponent(one)}` },
  }),
  'the address of the page before': (one, named) => ({
    requestHeaders: { referer: `https://app.example/?${named}=${encodeURIComponent(one)}#x` },
  }),
  'a form': (one, named) => ({
    requestHeaders: { 'content-type': 'application/x-www-form-urlencoded' },
    requestBody: beginningOf(`user=x&${named}=${encodeURIComponent(one)}`),
  }),
  JSON: (one, named, rest) => ({ requestBody: beginningOf(JSON.stringify(withPlace(rest, { [named]: one }))) }),
  'a list in JSON': (one, named) => ({ requestBody: beginningOf(JSON.stringify({ [named]: [one, { x: one }] })) }),
  'JSON with white space': (one, named) => ({
    requestBody: beginningOf(JSON.stringify({ a: { [named]: one } }, undefined, 3)),
  }),
  'JSON of an answer': (one, named) => ({ responseBody: beginningOf(JSON.stringify({ [named]: one })) }),
  'JSON within JSON': (one, named) => ({
    requestBody: beginningOf(JSON.stringify({ arguments: JSON.stringify({ [named]: one }) })),
  }),
  'a name that is escaped': (one, named) => ({
    requestBody: beginningOf(`{"\\u00${named.charCodeAt(0).toString(16)}${named.slice(1)}":${JSON.stringify(one)}}`),
  }),
  Parameters: (one, named) => ({
    requestBody: beginningOf(JSON.stringify({ parameter: [{ valueString: one, name: named }] })),
  }),
  'Parameters whose name comes first': (one, named) => ({
    requestBody: beginningOf(JSON.stringify({ parameter: [{ name: named, valueString: one }] })),
  }),
  'JSON that ends too early': (one, named) => ({
    requestBody: beginningOf(JSON.stringify({ a: 1, [named]: one }).slice(0, -1)),
  }),
  'JSON without quotes': (one, named) => ({ requestBody: beginningOf(`{${named}: ${JSON.stringify(one)}}`) }),
  'JSON with other quotes': (one, named) => ({ requestBody: beginningOf(`{"a": 1, '${named}': '${one}'}`) }),
  'JSON with a quote too few': (one, named) => ({
    requestBody: beginningOf(`{"a": "x, "${named}": ${JSON.stringify(one)}}`),
  }),
  'JSON without a colon': (one, named) => ({
    requestBody: beginningOf(`{"${named}" ${JSON.stringify(one)}}`),
  }),
  'XML as an element': (one, named) => ({
    requestHeaders: { 'content-type': 'application/fhir+xml' },
    requestBody: beginningOf(`<a><b ${named}="${one.replaceAll(/["&<]/g, '')}"/></a>`),
  }),
  'a text': (one, named) => ({
    requestHeaders: { 'content-type': 'text/plain' },
    requestBody: beginningOf(`${named}=${one}`),
  }),
  'the arguments of a tool': (one, named) => ({
    tools: [{ tool: 't', id: '1', arguments: { [named]: one }, result: JSON.stringify({ echo: { [named]: one } }) }],
  }),
  'the settings of a connector': (one) => ({
    requestBody: beginningOf(JSON.stringify({ crm: { clientSecret: one }, callSecurity: { secrets: [one] } })),
  }),
  'a request to another system': (one) => ({ direction: 'out', requestHeaders: { 'X-Anything': one } }),
  'an error that repeats the token': (one) => ({
    requestHeaders: { authorization: `Bearer ${one}` },
    reason: { code: 'x', text: `What is '${one}'?` },
    responseBody: beginningOf(JSON.stringify({ error: `What is '${one}'?` })),
  }),
}

const withPlace = (rest: object, one: object): object => (Array.isArray(rest) ? [...rest, one] : { ...rest, one })

describe('no secret is kept that comes as', () => {
  test.each(Object.keys(ways))('%s', (way) => {
    fc.assert(
      fc.property(value, name, nested(fc.constant({})), (one, named, rest) => {
        const seen = ways[way]?.(one, named, rest) ?? {}
        const text = stored(seen)
        const forms = [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)]
        for (const form of forms) expect(text).not.toContain(form)
      }),
    )
  })

  test('the secret of the service, whatever holds it', () => {
    expect(stored({ requestBody: beginningOf(JSON.stringify({ note: SERVICE_SECRET })) })).not.toContain(SERVICE_SECRET)
  })

  test.each([
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'],
    ['a webhook secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    [
      'the end of a resume link',
      '0123456789abcdef0123456789abcdef',
      (one: string) => `https://x.example/resume/${one}`,
    ],
    ['a parameter of a link', 'abcdef0123456789', (one: string) => `https://form.example/?resume=${one}`],
    ['a user in an address', 'hunter2hunter2', (one: string) => `https://u:${one}@x.example/`],
  ])('%s in a text that has no name for it', (_what, one, within = (text: string) => text) => {
    const text = stored({ responseBody: beginningOf(JSON.stringify({ text: `See ${within(one)} now` })) })
    expect(text).not.toContain(one)
    expect(text).toContain('See ')
  })

  test('one that looks like a piece of the journal itself, which stays readable', () => {
    const password = '"},"response":{"headers":{"'
    const { detail } = entryOf(
      { ...SEEN, requestBody: beginningOf(JSON.stringify({ password })) },
      { mode: 'full', secrets: [] },
    )
    expect(JSON.parse(detail).request.body.text).toBe('{"password":"[removed]"}')
  })

  test('more secrets than are looked for, with all that they could stand in', () => {
    const secrets = Array.from({ length: 200 }, (_, n) => `secret-number-${n}`)
    const text = stored({
      requestBody: beginningOf(JSON.stringify({ password: secrets })),
      responseBody: beginningOf(JSON.stringify({ echo: secrets })),
    })
    for (const one of secrets) expect(text).not.toContain(one)
  })

  test('a body of which only the beginning is kept, wherever it is cut', () => {
    const one = 'a-secret-that-is-cut-somewhere'
    const body = JSON.stringify({ a: 'x', parameter: [{ valueString: one, name: 'password' }], token: one })
    for (let end = 1; end < body.length; end += 1) {
      const seen = { requestBody: { text: body.slice(0, end), size: body.length, isCut: true as const } }
      const text = stored(seen)
      expect(text).not.toContain(one.slice(0, 8))
    }
  })
})

const HIDDEN = 'Zx9-hidden-value-77'
const body = (value: unknown, type = 'application/json'): Partial<SeenExchange> => ({
  requestHeaders: { 'content-type': type },
  requestBody: beginningOf(typeof value === 'string' ? value : JSON.stringify(value)),
})
const XML = 'application/fhir+xml'
const FORM = 'application/x-www-form-urlencoded'

/** Places where only the name shows that a value is secret. */
const STRUCTURES: Readonly<Record<string, Partial<SeenExchange>>> = {
  'a parameter behind a semicolon': { address: `/Patient?a=1;access_token=${HIDDEN}` },
  'a parameter of the path': { address: `/Patient;token=${HIDDEN}/1` },
  'a fragment': { responseHeaders: { location: `/next#id_token=${HIDDEN}&x=1` } },
  'a question mark within a parameter': { address: `/Patient?next=/x?token=${HIDDEN}` },
  'an encoded address in a parameter': { address: `/Patient?next=${encodeURIComponent(`/x?token=${HIDDEN}`)}` },
  'an address that is encoded twice': {
    address: `/Patient?next=${encodeURIComponent(encodeURIComponent(`/x?token=${HIDDEN}&y=1`))}`,
  },
  'an encoded name of a parameter': { address: `/Patient?%61ccess_%74oken=${HIDDEN}` },
  'a name of a parameter that is encoded twice': { address: `/Patient?%2574oken=${HIDDEN}` },
  'the user of an address': { address: `/Patient?_id=http://user:${HIDDEN}@x.example/` },
  'the user of an address alone': body({ url: `https://${HIDDEN}@x.example/` }),
  'Basic credentials': { requestHeaders: { authorization: `Basic ${Buffer.from(`u:${HIDDEN}`).toString('base64')}` } },
  'a pair of key and value': body({ key: 'password', value: HIDDEN }),
  'a pair of value and key': body({ value: HIDDEN, key: 'password' }),
  'a pair of k and v': body({ k: 'token', v: HIDDEN }),
  'a pair of header and text': body({ header: 'Authorization', text: HIDDEN }),
  'a pair of code and value': body({ code: 'api-key', valueString: HIDDEN }),
  'a pair of property and content': body({ property: 'secret', content: { x: [HIDDEN] } }),
  'an extension': body({ extension: [{ url: 'http://x.example/client-secret', valueString: HIDDEN }] }),
  'an identifier': body({ identifier: [{ system: 'http://x.example/access-token', value: HIDDEN }] }),
  'an identifier whose type is a text': body({ type: { text: 'API token' }, value: HIDDEN }),
  'an identifier whose type is a code': body({ value: HIDDEN, type: { coding: [{ code: 'password' }] } }),
  'an answer of a form': body({ item: [{ linkId: 'password', answer: [{ valueString: HIDDEN }] }] }),
  'a part of Parameters': body({ parameter: [{ name: 'login', part: [{ name: 'password', valueString: HIDDEN }] }] }),
  'parts below the name': body({ parameter: [{ name: 'password', part: [{ name: 'is', valueString: HIDDEN }] }] }),
  'parts above the name': body({ parameter: [{ part: [{ name: 'is', valueString: HIDDEN }], name: 'password' }] }),
  'a part that names another one': body({
    parameter: [
      {
        part: [
          { name: 'path', valueString: 'password' },
          { name: 'value', valueString: HIDDEN },
        ],
      },
    ],
  }),
  'a part that another one names': body({
    parameter: [
      {
        part: [
          { name: 'value', valueString: HIDDEN },
          { name: 'name', valueCode: 'token' },
        ],
      },
    ],
  }),
  'a JSON Patch': body([{ op: 'replace', path: '/password', value: HIDDEN }]),
  'a JSON Patch of a header of a Subscription': body([{ op: 'add', path: '/channel/header/-', value: `A: ${HIDDEN}` }]),
  'a JSON Patch of all of them': body([{ op: 'add', path: '/channel/header', value: [`A: ${HIDDEN}`] }]),
  'a list of two': body({ headers: [['authorization', HIDDEN]] }),
  'an argument of a command': body(['login', '--password', HIDDEN, '-v']),
  'a text with an equals sign': body({ note: `log in with password=${HIDDEN} please` }),
  'a text with a colon': body({ note: `token: ${HIDDEN}` }),
  'a text with JSON in it': body({ note: `sent {"password": "${HIDDEN}"} to it` }),
  'JSON in JSON in JSON': body({ a: JSON.stringify({ b: JSON.stringify({ password: HIDDEN }) }) }),
  'a name with escapes': body(`{"pass\\u0077ord":"${HIDDEN}"}`),
  'UTF-16 that says to be JSON': body([...JSON.stringify({ password: HIDDEN })].join('\0')),
  'JSON that says to be XML': body({ password: HIDDEN }, XML),
  'XML that says to be JSON': body(`<a password="${HIDDEN}"/>`),
  'JSON with a comma too many': body(`{"password":"${HIDDEN}",}`),
  'XML with an entity of its own': body(`<!DOCTYPE a [<!ENTITY p "${HIDDEN}">]><a><pass>&p;</pass></a>`, XML),
  'XML whose name has entities': body(`<Basic><x url="pass&#x77;ord" value="${HIDDEN}"/></Basic>`, XML),
  'XML whose name has a comment': body(`<Basic><x>pass<!-- -->word</x><y value="${HIDDEN}"/></Basic>`, XML),
  'XML in CDATA': body(`<Basic><x><![CDATA[token]]></x><y value="${HIDDEN}"/></Basic>`, XML),
  'a form with semicolons': body(`a=1;password=${HIDDEN}`, FORM),
  'a form with wrong escapes': body(`a=%zz&b=${HIDDEN}`, FORM),
  'a form with JSON in it': body(`a=${encodeURIComponent(JSON.stringify({ password: HIDDEN }))}`, FORM),
}

describe('what is named as a secret is not kept that comes as', () => {
  test.each(Object.entries(STRUCTURES))('%s', (_way, seen) => {
    const text = stored(seen)
    expect(text).not.toContain(HIDDEN)
    expect(text).not.toContain(Buffer.from(`u:${HIDDEN}`).toString('base64'))
  })
})

describe('a body', () => {
  test('without secrets is kept as it was sent, to the last space', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, space) => {
        const text = JSON.stringify({ resourceType: 'Patient', value: JSON.parse(json) }, undefined, space)
        fc.pre(!/pass|token|secret|key|pwd|cookie|auth|cred|assert|session|jwt|"data"|@/i.test(text))
        expect(kept(text)).toEqual({ type: 'application/json', size: Buffer.byteLength(text), text })
      }),
    )
  })

  test('beside a secret keeps everything else, and the numbers as they were written', () => {
    const text = '{"a":1.00,"password":"hunter2-hunter2","b":[true,null,{"c":"d\\n"}]}'
    expect(kept(text)).toMatchObject({
      changed: true,
      text: '{"a":1.00,"password":"[removed]","b":[true,null,{"c":"d\\n"}]}',
    })
  })

  test('that is longer than 64 KiB is cut, and says so', () => {
    const text = JSON.stringify({ note: 'é'.repeat(MAX_BODY) })
    const body = kept(text)
    expect(body.cut).toBe(true)
    expect(body.size).toBe(Buffer.byteLength(text))
    expect(Buffer.byteLength(body.text)).toBeLessThanOrEqual(MAX_BODY + 4)
  })

  test('of another type than JSON, XML and forms is kept by type, size and hash', () => {
    expect(kept('anything', 'text/html')).toEqual({ type: 'text/html', size: 8, sha256: hash('sha256', 'anything') })
  })

  test('nested as deeply as may be is looked through too', () => {
    const text = `${'{"a":['.repeat(10_000)}{"password":"hunter2-hunter2"}`
    expect(JSON.stringify(kept(text))).not.toContain('hunter2')
  })
})

describe('an attachment', () => {
  const bytes = Buffer.from('a document of some length')
  const base64 = bytes.toString('base64')
  const described = `[content: ${bytes.length} bytes, sha256 ${hash('sha256', bytes)}]`

  test('in JSON becomes its size and its hash, beside its type', () => {
    const text = JSON.stringify({ contentType: 'text/plain', data: base64 })
    expect(JSON.parse(kept(text).text)).toEqual({ contentType: 'text/plain', data: described })
  })

  test('in XML too', () => {
    const text = `<Binary><contentType value="text/plain"/><data value="${base64}"/></Binary>`
    expect(kept(text, 'application/fhir+xml').text).toContain(`<data value="${described}"/>`)
  })

  test('that is kept apart from its resource is known by the facts of its content', () => {
    const sha256 = hash('sha256', bytes)
    const text = JSON.stringify({ contentType: 'text/plain', _data: contentElement(sha256) })
    const body = kept(text, 'application/json', { contents: new Map([[sha256, bytes.length]]) })
    expect(JSON.parse(body.text)).toEqual({ contentType: 'text/plain', _data: described })
  })

  test.each([
    ['a text', (body: string) => kept(body)],
    ['bytes', (body: string) => kept('', 'application/json', beginningOfBytes(Buffer.from(body)))],
  ])('within which a body that is %s is cut becomes its size and its hash all the same', (_kind, keptOf) => {
    const long = Buffer.alloc(90_000, 'some text ')
    const resource = { resourceType: 'Binary', language: 'de', data: long.toString('base64'), id: 'é' }
    const shown = `[content: 90000 bytes, sha256 ${hash('sha256', long)}]`
    const body = keptOf(JSON.stringify(resource))
    expect(body.text).toBe(`{"resourceType":"Binary","language":"de","data":"${shown}"`)
    expect(body).toMatchObject({ cut: true, changed: true })
  })

  test('of which only the beginning is known is removed', () => {
    const begun = `{"data":"${'A'.repeat(2 * MAX_BODY)}`
    expect(kept(begun).text).toBe('{"data":"[removed]"')
  })

  test('under another name is known by its length, as in a patch', () => {
    const long = Buffer.alloc(3_000, 7).toString('base64')
    const body = kept(JSON.stringify([{ op: 'add', path: '/photo/0/data', value: long }]))
    expect(body.text).toContain('[content: 3000 bytes, sha256 ')
    expect(body.text).not.toContain(long.slice(0, 100))
  })
})
