/**
 * Requested times as callers say them ("next Tuesday after two", "any afternoon next week"), as windows in which to
 * search for free slots. Every reading of the words is tried; if more than one remains, the result is a question.
 */
import { plain } from './spoken.ts'
import { resolve } from './when/resolve.ts'
import { sentenceOf } from './when/sentence.ts'
import { tokensOf } from './when/tokens.ts'
import type { SpokenTimes, TimesLocale } from './when/window.ts'

/** Most characters; nobody says more about a time. */
const MAX_LENGTH = 300
const MAX_WORDS = 60

const EXAMPLE = 'for example "next Tuesday after two" or "tomorrow morning"'

export function spokenTimes(text: string, locale: TimesLocale): SpokenTimes {
  if (text.length > MAX_LENGTH || plain(text).length > MAX_LENGTH) return tooMuch
  const tokens = tokensOf(text)
  if (tokens.length > MAX_WORDS) return tooMuch
  const sentence = sentenceOf(tokens)
  if (sentence === 'nothing') return error(`No day or time was given; give one, ${EXAMPLE}`)
  if (sentence === 'two-times')
    return error(`Two times of day were given; give one of them, or both with "or" between, ${EXAMPLE}`)
  if (sentence === 'unclear')
    return error(`The time was not understood; give nothing but the day and the time, ${EXAMPLE}`)
  return resolve(sentence, locale)
}

const error = (message: string): SpokenTimes => ({ kind: 'error', error: message })

const tooMuch = error(`That is too long for a time; give nothing but the day and the time, ${EXAMPLE}`)
