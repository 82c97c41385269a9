/** Opt-outs, by contact point and by patient. */
import { expect, test } from '@jest/globals'
import { hasOptedOut, optOut } from '../../../src/calls/record/contact-consent.ts'
import { openTestRepository } from '../../support/repository.ts'

test('an opt-out of a number that is denied already holds for the patient too, wherever they are called', async () => {
  const access = (await openTestRepository()).access('a')
  const point = '+12125550155'
  await access.change((ctx) => optOut(ctx, 'phone', { point }))
  expect(await hasOptedOut((await access.reader()).unit, 'phone', { patient: 'ruth' })).toBe(false)
  await access.change((ctx) => optOut(ctx, 'phone', { point, patient: 'ruth' }))
  expect(await hasOptedOut((await access.reader()).unit, 'phone', { point: '+12125550156', patient: 'ruth' })).toBe(
    true,
  )
})

test('an opt-out of an e-mail address holds for the address in upper and in lower case', async () => {
  const access = (await openTestRepository()).access('a')
  await access.change((ctx) => optOut(ctx, 'email', { point: 'Ruth.A@Example.com' }))
  for (const point of ['ruth.a@example.com', 'RUTH.A@EXAMPLE.COM', 'Ruth.A@Example.com'])
    expect([point, await hasOptedOut((await access.reader()).unit, 'email', { point })]).toEqual([point, true])
  expect(await hasOptedOut((await access.reader()).unit, 'email', { point: 'ruth.b@example.com' })).toBe(false)
})
