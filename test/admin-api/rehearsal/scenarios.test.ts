/** GET /scenarios and GET /magic: what a rehearsal can begin with. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { magic } from '../../../src/rehearsal/magic/table.ts'
import { Scenarios } from '../../../src/rehearsal/scenarios/scenarios.ts'
import { request } from '../../support/request.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Row = Readonly<Record<string, unknown>>

describe('GET /scenarios', () => {
  test('has every scenario by name, with the number of its resources and people', async () => {
    const { status, body } = await server.fhir('GET', '/scenarios')
    expect(status).toBe(200)
    expect(body.scenarios.map(({ name }: Row) => name)).toEqual(new Scenarios().all.map(({ name }) => name))
    expect(body.scenarios.find(({ name }: Row) => name === 'busy-monday')).toEqual({
      name: 'busy-monday',
      title: 'A busy Monday',
      version: '1.0.0',
      description: expect.stringContaining('two half hours are left'),
      resources: 92,
      people: 2,
    })
  })
})

describe('GET /magic', () => {
  test('has every row of the table, without the data that it is made of', async () => {
    const { status, body } = await server.fhir('GET', '/magic')
    expect(status).toBe(200)
    for (const kind of ['patients', 'practitioners', 'values'] as const) {
      expect(body[kind].map(({ name }: Row) => name)).toEqual(magic[kind].map(({ name }) => name))
      for (const row of body[kind])
        expect(Object.keys(row).filter((member) => member !== 'resource')).toEqual([
          'name',
          'who',
          'scenario',
          'what',
          'with',
          'expect',
        ])
    }
  })
})

describe.each(['/scenarios', '/magic'])('%s', (path) => {
  test('needs a token', async () => {
    expect((await request(server.url, 'GET', path)).status).toBe(401)
  })

  test('is read only', async () => {
    const { status, headers } = await server.fhir('POST', path, {})
    expect([status, headers.get('allow')]).toEqual([405, 'HEAD, GET'])
  })

  test('is absent where rehearsals are off', async () => {
    const off = await startServer({ REHEARSAL: 'off' })
    try {
      expect((await off.fhir('GET', path)).status).toBe(404)
    } finally {
      await off.close()
    }
  })
})
