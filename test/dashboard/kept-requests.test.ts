/** Requests that the console keeps in the browser: none of them with a secret. */
import { expect, test } from '@jest/globals'
import { type KeptRequest, keepable, withSaved, withSent } from '../../dashboard/pages/explorer/kept-requests.ts'

const request = (more: Partial<KeptRequest> = {}): KeptRequest => ({
  ...{ method: 'GET', path: 'Patient', headers: '', body: '', format: 'json' },
  ...more,
})

test('tokens and secrets are left out, whatever the case of the header', () => {
  const headers = 'If-Match: W/"1"\nauthorization: Bearer a\nX-Voice-Secret: b\nX-Api-Key: c\nPrefer: return=minimal'
  expect(keepable(request({ headers })).headers).toBe('If-Match: W/"1"\nPrefer: return=minimal')
  expect(keepable(request({ path: 'Patient?access_token=abc&name=x' })).path).toBe('Patient?access_token=&name=x')
})

test('the body of a resource is kept, and that of a route with passwords is not', () => {
  expect(keepable(request({ method: 'POST', path: 'Patient', body: '{}' })).body).toBe('{}')
  expect(keepable(request({ method: 'POST', path: '', body: '{}' })).body).toBe('{}')
  expect(keepable(request({ method: 'POST', path: 'session', body: '{"password":"x"}' })).body).toBe('')
  expect(keepable(request({ method: 'POST', path: '/accounts', body: '{"password":"x"}' })).body).toBe('')
  expect(keepable(request({ method: 'POST', path: 'Patient', body: 'x'.repeat(20_001) })).body).toBe('')
})

test('the history has the last 50 requests, and one that is repeated once', () => {
  let list: readonly KeptRequest[] = []
  for (let number = 0; number < 60; number += 1) list = withSent(list, request({ path: `Patient/${number}` }))
  expect([list.length, list[0]?.path]).toEqual([50, 'Patient/59'])
  const again = withSent(list, request({ path: 'Patient/40', at: '2026-01-01T00:00:00Z' }))
  expect([again.length, again[0]?.path]).toEqual([50, 'Patient/40'])
})

test('a request that is saved under a name that is taken replaces the other', () => {
  const list = withSaved(withSaved([], request({ name: 'a' })), request({ name: 'a', path: 'Slot' }))
  expect(list.map(({ path }) => path)).toEqual(['Slot'])
})
