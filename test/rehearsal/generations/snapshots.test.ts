/** Snapshots of a clinic, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { askAs, idsOf, type Rehearsed, startRehearsed } from '../rehearsed.ts'

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
})
afterAll(() => clinic.server.close())

const save = (name: string, token?: string) => clinic.ask('PUT', `/snapshots/${name}`, undefined, token)
const restore = (snapshot: string) => clinic.ask('POST', '/reset', { snapshot })
const write = (family: string) =>
  clinic.server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family }] })

const AS_FHIR = { accept: 'application/fhir+json' }

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

describe('a snapshot', () => {
  test('brings back everything as it was, versions and history included', async () => {
    const { server, everything } = clinic
    const { body: made } = await write('Okafor')
    const path = `/Patient/${made.id}`
    await server.fhir('PUT', path, { ...made, active: true })
    const { status, body } = await save('with-okafor')
    expect([status, body]).toMatchObject([201, { name: 'with-okafor', by: 'Demo Admin', serverVersion: '1.0.0' }])
    const before = await everything()
    const history = (await server.fhir('GET', `${path}/_history`)).body
    for (const family of ['A', 'B', 'C']) await write(family)
    await server.fhir('DELETE', path)
    expect((await restore('with-okafor')).body).toMatchObject({ snapshot: 'with-okafor' })
    expect(await everything()).toEqual(before)
    expect((await server.fhir('GET', `${path}/_history`)).body.entry).toEqual(history.entry)
    expect(await idsOf(server, server.token, 'Patient?family=Okafor')).toEqual([made.id])
  })

  test('is not changed by what is written after it was restored, and can be restored again', async () => {
    await save('again')
    const before = await clinic.everything()
    await restore('again')
    await write('Late')
    await restore('again')
    expect(await clinic.everything()).toEqual(before)
  })

  test('keeps the contents that its resources refer to', async () => {
    const { server } = clinic
    const data = Buffer.from('x'.repeat(40_000)).toString('base64')
    const { body } = await server.fhir('POST', '/Binary', { resourceType: 'Binary', contentType: 'text/plain', data })
    await save('with-content')
    await clinic.ask('POST', '/reset', { scenario: 'empty' })
    expect((await server.fhir('GET', `/Binary/${body.id}`)).status).toBe(404)
    await restore('with-content')
    expect((await server.fhir('GET', `/Binary/${body.id}`, undefined, AS_FHIR)).body.data).toBe(data)
  })

  test("finds by the clinic's own search parameters after it was restored", async () => {
    const { server } = clinic
    const parameter = {
      ...{
        resourceType: 'SearchParameter',
        id: 'shoe',
        url: 'http://clinic.example/shoe',
        name: 'Shoe',
        status: 'active',
      },
      ...{ description: 'Size of the shoe', code: 'shoe', base: ['Patient'], type: 'string' },
      expression: "Patient.extension.where(url = 'http://clinic.example/shoe').value",
    }
    expect((await server.fhir('PUT', '/SearchParameter/shoe', parameter)).status).toBe(201)
    const extension = [{ url: 'http://clinic.example/shoe', valueString: 'forty' }]
    const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient', extension })
    await save('with-parameter')
    await clinic.ask('POST', '/reset', { scenario: 'empty' })
    expect((await server.fhir('GET', '/Patient?shoe=forty')).status).toBe(400)
    await restore('with-parameter')
    // The index may have been incomplete when the snapshot was taken.
    while ((await server.fhir('GET', '/Patient?shoe=forty')).status === 503) await pause()
    expect(await idsOf(server, server.token, 'Patient?shoe=forty')).toEqual([body.id])
  })

  test('has everything that a hundred writes after it have changed: the export is the same', async () => {
    const { server, ask } = clinic
    await clinic.ask('POST', '/reset', { scenario: 'quiet-week' })
    await save('before-writes')
    const before = (await ask('GET', '/export')).text
    for (let index = 0; index < 100; index += 1) {
      const id = index % 3 === 0 ? 'pat-abernathy' : `w${index % 7}`
      const patient = { resourceType: 'Patient', id, name: [{ family: `Written${index}` }] }
      if (index % 5 === 4) await server.fhir('DELETE', `/Patient/${id}`)
      else await server.fhir('PUT', `/Patient/${id}`, patient)
    }
    expect((await ask('GET', '/export')).text).not.toBe(before)
    await restore('before-writes')
    expect((await ask('GET', '/export')).text).toBe(before)
  })

  test('of a server with other definitions is restored with those of this one', async () => {
    const { server } = clinic
    const path = '/OperationDefinition/patient-match'
    const shipped = (await server.fhir('GET', path)).body
    await server.app.repository.change('demo-clinic', (unit) =>
      unit.put({ ...shipped, name: 'OfAnOlderServer' }, 'PUT'),
    )
    await save('older')
    await restore('older')
    expect((await server.fhir('GET', path)).body.name).toBe(shipped.name)
  })

  test('is listed, read, replaced by one of the same name, and deleted', async () => {
    const { ask } = clinic
    await save('one')
    await write('More')
    const { body: second } = await save('one')
    expect((await ask('GET', '/snapshots/one')).body).toEqual(second)
    const names = async () => (await ask('GET', '/snapshots')).body.snapshots.map(({ name }: { name: string }) => name)
    expect(await names()).toContain('one')
    expect((await ask('DELETE', '/snapshots/one')).status).toBe(204)
    expect(await names()).not.toContain('one')
    expect((await ask('DELETE', '/snapshots/one')).status).toBe(404)
  })

  test('is taken by admins only, under a name that is one, and is no business of another clinic', async () => {
    const { server, ask } = clinic
    expect((await save('mine', server.token)).status).toBe(403)
    expect((await save('not%20a%20name')).status).toBe(400)
    expect((await ask('GET', '/snapshots', undefined, server.token)).status).toBe(200)
    expect((await askAs(server, server.token, 'GET', '/clinics/other/snapshots')).status).toBe(403)
  })
})
