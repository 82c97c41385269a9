/** In every test file that runs on MongoDB: what the server sends there names the clinic whose data it is about. */
import { afterAll, expect } from '@jest/globals'
import { onCommand, strayIn } from '../support/mongo-commands.ts'

const strays = new Set<string>()

onCommand((sent) => {
  const stray = strayIn(sent)
  if (stray !== undefined) strays.add(stray)
})

afterAll(() => {
  expect([...strays]).toEqual([])
})
