/**
 * When a visit shall be, as callers say it (docs/spoken-times.md): windows in the clinic's zone, a question where more
 * than one reading is left, an error where none is.
 */

import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { sayTime } from '../../src/spoken/say.ts'
import { spokenTimes } from '../../src/spoken/spoken-times.ts'
import { ENDLESS } from './support.ts'
import { isWithin, localeAt, NEW_YORK, read } from './times-support.ts'

/** A Sunday, on which the week of the region ends. */
const BERLIN = localeAt('2026-11-22T09:00', 'Europe/Berlin', 'DE')
/** The clocks change by half an hour, forward on Sunday at 2:00. */
const LORD_HOWE = localeAt('2026-09-30T12:00', 'Australia/Lord_Howe', 'AU')

describe('what is certain is read as windows in New York, at noon on Wednesday, November 4th', () => {
  test.each([
    ['the second Wednesday in December', 'Wed 2026-12-09 00:00 -5 until Thu 2026-12-10 00:00 -5'],
    ['the first Monday of next month', 'Mon 2026-12-07 00:00 -5 until Tue 2026-12-08 00:00 -5'],
    ['for my first visit, tomorrow', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['tomorrow at 12 am', 'Thu 2026-11-05 00:00 -5'],
    ['tomorrow at 12 pm', 'Thu 2026-11-05 12:00 -5'],
    ['twenty to five tomorrow', 'Thu 2026-11-05 16:40 -5'],
    ['Mon-Fri', 'Mon 2026-11-09 00:00 -5 until Sat 2026-11-14 00:00 -5'],
    ['Monday but not in the morning', 'Mon 2026-11-09 12:00 -5 until Tue 2026-11-10 00:00 -5'],
    ['the 10th at 10 10', 'Tue 2026-11-10 10:10 -5'],
    ['at nine on Monday or at ten on Tuesday', 'Mon 2026-11-09 09:00 -5; Tue 2026-11-10 10:00 -5'],
    ['Friday to Monday', 'Fri 2026-11-06 00:00 -5 until Tue 2026-11-10 00:00 -5'],
    ['before noon tomorrow', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 12:00 -5'],
    ['next Tuesday after two', 'Tue 2026-11-10 14:00 -5 until Wed 2026-11-11 00:00 -5'],
    ['tomorrow at 3 pm Eastern', 'Thu 2026-11-05 15:00 -5'],
    ['tomorrow at 3 pm Eastern Standard Time', 'Thu 2026-11-05 15:00 -5'],
    ['tomorrow at ١٥:٠٠', 'Thu 2026-11-05 15:00 -5'],
    ['3 pm EST tomorrow', 'Thu 2026-11-05 15:00 -5'],
    ["next tuesday after two o'clock", 'Tue 2026-11-10 14:00 -5 until Wed 2026-11-11 00:00 -5'],
    ['tomorrow morning', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 12:00 -5'],
    ['Tomorrow, in the morning, please.', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 12:00 -5'],
    ['the day after tomorrow at half past nine', 'Fri 2026-11-06 09:30 -5'],
    ['the day after tomorrow at nine thirty', 'Fri 2026-11-06 09:30 -5'],
    ['Friday the 13th between ten and noon', 'Fri 2026-11-13 10:00 -5 until Fri 2026-11-13 12:00 -5'],
    ['Friday the thirteenth, between 10 and 12', 'Fri 2026-11-13 10:00 -5 until Fri 2026-11-13 12:00 -5'],
    ['in two weeks', 'Wed 2026-11-18 00:00 -5 until Thu 2026-11-19 00:00 -5'],
    ['two weeks from today', 'Wed 2026-11-18 00:00 -5 until Thu 2026-11-19 00:00 -5'],
    ['in a fortnight', 'Wed 2026-11-18 00:00 -5 until Thu 2026-11-19 00:00 -5'],
    ['first thing Monday', 'Mon 2026-11-09 00:00 -5 until Mon 2026-11-09 12:00 -5'],
    ['first thing Monday morning', 'Mon 2026-11-09 00:00 -5 until Mon 2026-11-09 12:00 -5'],
    ['any afternoon next week', 'Mon 2026-11-09 00:00 -5 until Sun 2026-11-15 00:00 -5, 12:00 to 18:00'],
    ['afternoons next week', 'Mon 2026-11-09 00:00 -5 until Sun 2026-11-15 00:00 -5, 12:00 to 18:00'],
    ['as soon as possible', 'Wed 2026-11-04 12:00 -5 on'],
    ['the earliest you have', 'Wed 2026-11-04 12:00 -5 on'],
    ['asap please', 'Wed 2026-11-04 12:00 -5 on'],
    ['whenever', 'Wed 2026-11-04 12:00 -5 on'],
    ['any time', 'Wed 2026-11-04 12:00 -5 on'],
    ['not before the fifth of March', 'Fri 2027-03-05 00:00 -5 on'],
    ['from March 5th on', 'Fri 2027-03-05 00:00 -5 on'],
    ['after the fifth of March', 'Sat 2027-03-06 00:00 -5 on'],
    ['this evening', 'Wed 2026-11-04 17:00 -5 until Thu 2026-11-05 00:00 -5'],
    ['tonight', 'Wed 2026-11-04 18:00 -5 until Thu 2026-11-05 00:00 -5'],
    ['this afternoon', 'Wed 2026-11-04 12:00 -5 until Wed 2026-11-04 18:00 -5'],
    [
      'Monday or Wednesday morning',
      'Mon 2026-11-09 00:00 -5 until Mon 2026-11-09 12:00 -5; Wed 2026-11-11 00:00 -5 until Wed 2026-11-11 12:00 -5',
    ],
    [
      'Monday morning or Tuesday afternoon',
      'Mon 2026-11-09 00:00 -5 until Mon 2026-11-09 12:00 -5; Tue 2026-11-10 12:00 -5 until Tue 2026-11-10 18:00 -5',
    ],
    [
      'Monday, Thursday or Friday',
      'Mon 2026-11-09 00:00 -5 until Tue 2026-11-10 00:00 -5; Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5; Fri 2026-11-06 00:00 -5 until Sat 2026-11-07 00:00 -5',
    ],
    ['the week after next', 'Mon 2026-11-16 00:00 -5 until Sun 2026-11-22 00:00 -5'],
    ['Monday the week after next', 'Mon 2026-11-16 00:00 -5 until Tue 2026-11-17 00:00 -5'],
    ['3/4 at 10:15 am', 'Thu 2027-03-04 10:15 -5'],
    ['12/25 at 9 am', 'Fri 2026-12-25 09:00 -5'],
    ['25/12 at 9 am', 'Fri 2026-12-25 09:00 -5'],
    ['12/1/2026 at 9', 'Tue 2026-12-01 09:00 -5'],
    ['12-1-26 at 9', 'Tue 2026-12-01 09:00 -5'],
    ['2026-12-01T09:00', 'Tue 2026-12-01 09:00 -5'],
    ['2026-12-01 09:00', 'Tue 2026-12-01 09:00 -5'],
    ['2026-12-01T09:00:00Z', 'Tue 2026-12-01 04:00 -5'],
    ['2026-12-01', 'Tue 2026-12-01 00:00 -5 until Wed 2026-12-02 00:00 -5'],
    ['weekends', 'Wed 2026-11-04 12:00 -5 on, on Sat Sun'],
    ['any weekend', 'Wed 2026-11-04 12:00 -5 on, on Sat Sun'],
    ['at two', 'Wed 2026-11-04 12:00 -5 on, 14:00 to 14:01'],
    ['at 2', 'Wed 2026-11-04 12:00 -5 on, 14:00 to 14:01'],
    ['tomorrow at two', 'Thu 2026-11-05 14:00 -5'],
    ['tomorrow at 2:30', 'Thu 2026-11-05 14:30 -5'],
    ['tomorrow at two thirty', 'Thu 2026-11-05 14:30 -5'],
    ['tomorrow at quarter past two', 'Thu 2026-11-05 14:15 -5'],
    ['tomorrow at a quarter to three', 'Thu 2026-11-05 14:45 -5'],
    ['tomorrow at ten past two', 'Thu 2026-11-05 14:10 -5'],
    ['tomorrow at ten to two', 'Thu 2026-11-05 13:50 -5'],
    ['tomorrow at 3pm', 'Thu 2026-11-05 15:00 -5'],
    ['tomorrow at 3 p.m.', 'Thu 2026-11-05 15:00 -5'],
    ['tomorrow at 15:00', 'Thu 2026-11-05 15:00 -5'],
    ['tomorrow at 930', 'Thu 2026-11-05 09:30 -5'],
    ['tomorrow at 14 hundred hours', 'Thu 2026-11-05 14:00 -5'],
    ['tomorrow at nine oh five', 'Thu 2026-11-05 09:05 -5'],
    ['tomorrow at nine in the morning', 'Thu 2026-11-05 09:00 -5'],
    ['tomorrow at seven in the morning', 'Thu 2026-11-05 07:00 -5'],
    ['tomorrow at seven in the evening', 'Thu 2026-11-05 19:00 -5'],
    ['tomorrow at noon', 'Thu 2026-11-05 12:00 -5'],
    ['noon tomorrow', 'Thu 2026-11-05 12:00 -5'],
    ['tomorrow at twelve', 'Thu 2026-11-05 12:00 -5'],
    ['tomorrow at twelve thirty', 'Thu 2026-11-05 12:30 -5'],
    ['tomorrow from ten to two', 'Thu 2026-11-05 10:00 -5 until Thu 2026-11-05 14:00 -5'],
    ['from nine to five tomorrow', 'Thu 2026-11-05 09:00 -5 until Thu 2026-11-05 17:00 -5'],
    ['between two and four tomorrow', 'Thu 2026-11-05 14:00 -5 until Thu 2026-11-05 16:00 -5'],
    ['2-4 pm tomorrow', 'Thu 2026-11-05 14:00 -5 until Thu 2026-11-05 16:00 -5'],
    ['tomorrow 10:00-12:00', 'Thu 2026-11-05 10:00 -5 until Thu 2026-11-05 12:00 -5'],
    ['tomorrow before eleven', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 11:00 -5'],
    ['tomorrow by eleven', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 11:00 -5'],
    ['no later than three tomorrow', 'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 15:00 -5'],
    ['tomorrow, not before ten', 'Thu 2026-11-05 10:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['tomorrow after 2 but before 4', 'Thu 2026-11-05 14:00 -5 until Thu 2026-11-05 16:00 -5'],
    ['tomorrow around ten', 'Thu 2026-11-05 09:30 -5 until Thu 2026-11-05 10:31 -5'],
    ['tomorrow at about 10ish', 'Thu 2026-11-05 09:30 -5 until Thu 2026-11-05 10:31 -5'],
    ['today after three', 'Wed 2026-11-04 15:00 -5 until Thu 2026-11-05 00:00 -5'],
    ['later today', 'Wed 2026-11-04 12:00 -5 until Thu 2026-11-05 00:00 -5'],
    ['today', 'Wed 2026-11-04 12:00 -5 until Thu 2026-11-05 00:00 -5'],
    ['Tuesday, November 24th, at 2:30 in the afternoon', 'Tue 2026-11-24 14:30 -5'],
    [
      'Monday or Tuesday next week',
      'Mon 2026-11-09 00:00 -5 until Tue 2026-11-10 00:00 -5; Tue 2026-11-10 00:00 -5 until Wed 2026-11-11 00:00 -5',
    ],
    [
      'next week Monday or Tuesday',
      'Mon 2026-11-09 00:00 -5 until Tue 2026-11-10 00:00 -5; Tue 2026-11-10 00:00 -5 until Wed 2026-11-11 00:00 -5',
    ],
    [
      'next Monday or Tuesday',
      'Mon 2026-11-09 00:00 -5 until Tue 2026-11-10 00:00 -5; Tue 2026-11-10 00:00 -5 until Wed 2026-11-11 00:00 -5',
    ],
    [
      'the 3rd or 4th of December',
      'Thu 2026-12-03 00:00 -5 until Fri 2026-12-04 00:00 -5; Fri 2026-12-04 00:00 -5 until Sat 2026-12-05 00:00 -5',
    ],
    [
      'December 3rd or 4th',
      'Thu 2026-12-03 00:00 -5 until Fri 2026-12-04 00:00 -5; Fri 2026-12-04 00:00 -5 until Sat 2026-12-05 00:00 -5',
    ],
    ['the third of December at ten', 'Thu 2026-12-03 10:00 -5'],
    ['December third at ten', 'Thu 2026-12-03 10:00 -5'],
    ['Dec 3 at 10am', 'Thu 2026-12-03 10:00 -5'],
    ['3 December at ten', 'Thu 2026-12-03 10:00 -5'],
    ['March fifth twenty twenty seven at nine', 'Fri 2027-03-05 09:00 -5'],
    ['March 5, 2027 at nine', 'Fri 2027-03-05 09:00 -5'],
    ['March fifth two thousand twenty seven at nine', 'Fri 2027-03-05 09:00 -5'],
    ['anything but Mondays', 'Wed 2026-11-04 12:00 -5 on, on Tue Wed Thu Fri Sat Sun'],
    ['any day except Friday', 'Wed 2026-11-04 12:00 -5 on, on Mon Tue Wed Thu Sat Sun'],
    ["I can't do Monday but Thursday is fine", 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['not on Mondays or Fridays', 'Wed 2026-11-04 12:00 -5 on, on Tue Wed Thu Sat Sun'],
    [
      'any time next week but not Friday',
      'Mon 2026-11-09 00:00 -5 until Sun 2026-11-15 00:00 -5, on Mon Tue Wed Thu Sat',
    ],
    ['in an hour', 'Wed 2026-11-04 13:00 -5'],
    ['in 30 minutes', 'Wed 2026-11-04 12:30 -5'],
    ['in half an hour', 'Wed 2026-11-04 12:30 -5'],
    ['in three days at four', 'Sat 2026-11-07 16:00 -5'],
    ['within a week', 'Wed 2026-11-04 12:00 -5 until Thu 2026-11-12 00:00 -5'],
    ['in the next two weeks', 'Wed 2026-11-04 12:00 -5 until Thu 2026-11-19 00:00 -5'],
    ['Thursday', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['this Thursday', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['this coming Thursday', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['Thursday next week', 'Thu 2026-11-12 00:00 -5 until Fri 2026-11-13 00:00 -5'],
    ['a week from Thursday', 'Thu 2026-11-12 00:00 -5 until Fri 2026-11-13 00:00 -5'],
    ['Thursday week', 'Thu 2026-11-12 00:00 -5 until Fri 2026-11-13 00:00 -5'],
    ['next Wednesday', 'Wed 2026-11-11 00:00 -5 until Thu 2026-11-12 00:00 -5'],
    [
      'Thursday or Friday but not before ten',
      'Thu 2026-11-05 10:00 -5 until Fri 2026-11-06 00:00 -5; Fri 2026-11-06 10:00 -5 until Sat 2026-11-07 00:00 -5',
    ],
    ['between Monday and Wednesday', 'Mon 2026-11-09 00:00 -5 until Thu 2026-11-12 00:00 -5'],
    ['Monday through Wednesday after two', 'Mon 2026-11-09 00:00 -5 until Thu 2026-11-12 00:00 -5, 14:00 to 24:00'],
    ['December 1 to December 5 in the morning', 'Tue 2026-12-01 00:00 -5 until Sun 2026-12-06 00:00 -5, 0:00 to 12:00'],
    ['from the 10th to the 12th', 'Tue 2026-11-10 00:00 -5 until Fri 2026-11-13 00:00 -5'],
    ['between the 10th and the 12th of November', 'Tue 2026-11-10 00:00 -5 until Fri 2026-11-13 00:00 -5'],
    ['by Friday', 'Wed 2026-11-04 12:00 -5 until Sat 2026-11-07 00:00 -5'],
    ['until Friday', 'Wed 2026-11-04 12:00 -5 until Sat 2026-11-07 00:00 -5'],
    ['before Friday', 'Wed 2026-11-04 12:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['after Friday', 'Sat 2026-11-07 00:00 -5 on'],
    ['after the weekend', 'Mon 2026-11-09 00:00 -5 on'],
    ['this weekend', 'Sat 2026-11-07 00:00 -5 until Mon 2026-11-09 00:00 -5'],
    ['on the weekend', 'Sat 2026-11-07 00:00 -5 until Mon 2026-11-09 00:00 -5'],
    ['in December', 'Tue 2026-12-01 00:00 -5 until Fri 2027-01-01 00:00 -5'],
    ['next month', 'Tue 2026-12-01 00:00 -5 until Fri 2027-01-01 00:00 -5'],
    ['this month', 'Wed 2026-11-04 12:00 -5 until Tue 2026-12-01 00:00 -5'],
    ['mornings in December', 'Tue 2026-12-01 00:00 -5 until Fri 2027-01-01 00:00 -5, 0:00 to 12:00'],
    ['Mondays in December', 'Tue 2026-12-01 00:00 -5 until Fri 2027-01-01 00:00 -5, on Mon'],
    ['weekdays after four', 'Wed 2026-11-04 12:00 -5 on, on Mon Tue Wed Thu Fri, 16:00 to 24:00'],
    ['weekday mornings', 'Wed 2026-11-04 12:00 -5 on, on Mon Tue Wed Thu Fri, 0:00 to 12:00'],
    ['any Monday', 'Wed 2026-11-04 12:00 -5 on, on Mon'],
    ['every Tuesday after three', 'Wed 2026-11-04 12:00 -5 on, on Tue, 15:00 to 24:00'],
    ['Could I come in tomorrow at 3pm please?', 'Thu 2026-11-05 15:00 -5'],
    ['do you have anything on Friday afternoon?', 'Fri 2026-11-06 12:00 -5 until Fri 2026-11-06 18:00 -5'],
    ["uh, well, let's say Friday at um eleven", 'Fri 2026-11-06 11:00 -5'],
    ['what about the 20th?', 'Fri 2026-11-20 00:00 -5 until Sat 2026-11-21 00:00 -5'],
    ['late afternoon on the 20th', 'Fri 2026-11-20 15:00 -5 until Fri 2026-11-20 18:00 -5'],
    ['early morning on the 20th', 'Fri 2026-11-20 00:00 -5 until Fri 2026-11-20 10:00 -5'],
    ['lunchtime on Friday', 'Fri 2026-11-06 11:30 -5 until Fri 2026-11-06 14:00 -5'],
    ['Friday at two or three', 'Fri 2026-11-06 14:00 -5; Fri 2026-11-06 15:00 -5'],
    [
      'tomorrow morning or evening',
      'Thu 2026-11-05 00:00 -5 until Thu 2026-11-05 12:00 -5; Thu 2026-11-05 17:00 -5 until Fri 2026-11-06 00:00 -5',
    ],
    ['the rest of this week', 'Wed 2026-11-04 12:00 -5 until Sun 2026-11-08 00:00 -5'],
    ['later this week', 'Wed 2026-11-04 12:00 -5 until Sun 2026-11-08 00:00 -5'],
    ['this week', 'Wed 2026-11-04 12:00 -5 until Sun 2026-11-08 00:00 -5'],
    ['next year', 'Fri 2027-01-01 00:00 -5 until Sat 2028-01-01 00:00 -5'],
    ['the week of December 7th', 'Mon 2026-12-07 00:00 -5 until Mon 2026-12-14 00:00 -5'],
    ['tomorrow at two in the afternoon or Friday at nine', 'Thu 2026-11-05 14:00 -5; Fri 2026-11-06 09:00 -5'],
    ['actually tomorrow at nine', 'Thu 2026-11-05 09:00 -5'],
    ['from tomorrow', 'Thu 2026-11-05 00:00 -5 on'],
    ['starting next Monday', 'Mon 2026-11-09 00:00 -5 on'],
    ['Monday or later', 'Mon 2026-11-09 00:00 -5 on'],
    ['ten or later tomorrow', 'Thu 2026-11-05 10:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['the 5th', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['the 1st', 'Tue 2026-12-01 00:00 -5 until Wed 2026-12-02 00:00 -5'],
    ['the first of next month', 'Tue 2026-12-01 00:00 -5 until Wed 2026-12-02 00:00 -5'],
    ['Sunday at two', 'Sun 2026-11-08 14:00 -5'],
    ['tomorrow at fourteen hundred hours', 'Thu 2026-11-05 14:00 -5'],
    ['later than three tomorrow', 'Thu 2026-11-05 15:00 -5 until Fri 2026-11-06 00:00 -5'],
    ["I'm not free on Monday", 'Wed 2026-11-04 12:00 -5 on, on Tue Wed Thu Fri Sat Sun'],
    ['next Tuesday at nine or later', 'Tue 2026-11-10 09:00 -5 until Wed 2026-11-11 00:00 -5'],
    ['between four and two tomorrow', 'Thu 2026-11-05 04:00 -5 until Thu 2026-11-05 14:00 -5'],
    ['tomorrow at seven in the afternoon', 'Thu 2026-11-05 19:00 -5'],
    ['tomorrow morning after two', 'Thu 2026-11-05 02:00 -5 until Thu 2026-11-05 12:00 -5'],
    ['Monday at two Monday at three', 'Mon 2026-11-09 14:00 -5; Mon 2026-11-09 15:00 -5'],
    ['tomorrow at five', 'Thu 2026-11-05 17:00 -5'],
    ['tomorrow at eight', 'Thu 2026-11-05 08:00 -5'],
    ['the Tuesday after next', 'Tue 2026-11-17 00:00 -5 until Wed 2026-11-18 00:00 -5'],
    ['may I come tomorrow', 'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5'],
    ['in May', 'Sat 2027-05-01 00:00 -4 until Tue 2027-06-01 00:00 -4'],
    ['sat', 'Sat 2026-11-07 00:00 -5 until Sun 2026-11-08 00:00 -5'],
    ['at ten past ten', 'Wed 2026-11-04 12:00 -5 on, 10:10 to 10:11'],
    ['10:15', 'Wed 2026-11-04 12:00 -5 on, 10:15 to 10:16'],
    ['every day', 'Wed 2026-11-04 12:00 -5 on'],
    ['any day at nine', 'Wed 2026-11-04 12:00 -5 on, 9:00 to 9:01'],
    [
      'Monday and Wednesday between 9 and 11',
      'Mon 2026-11-09 09:00 -5 until Mon 2026-11-09 11:00 -5; Wed 2026-11-11 09:00 -5 until Wed 2026-11-11 11:00 -5',
    ],
    ['noon to two tomorrow', 'Thu 2026-11-05 12:00 -5 until Thu 2026-11-05 14:00 -5'],
    ['from two until midnight tomorrow', 'Thu 2026-11-05 14:00 -5 until Fri 2026-11-06 00:00 -5'],
    [
      'either tomorrow or Friday',
      'Thu 2026-11-05 00:00 -5 until Fri 2026-11-06 00:00 -5; Fri 2026-11-06 00:00 -5 until Sat 2026-11-07 00:00 -5',
    ],
    ['not today', 'Thu 2026-11-05 00:00 -5 on'],
    ['when you can', 'Wed 2026-11-04 12:00 -5 on'],
  ])('%s', (text, expected) => expect(read(text, NEW_YORK)).toBe(expected))
})

describe('what can be read in more than one way is asked back', () => {
  test.each([
    ['12.05.', 'question: Do you mean Saturday, December 5th, or Wednesday, May 12th, 2027?'],
    [
      'in the next week',
      'question: Do you mean from Monday, November 9th to Saturday, November 14th, or from Wednesday, November 4th to Wednesday, November 11th?',
    ],
    ['next Thursday', 'question: Do you mean Thursday, November 5th, or Thursday, November 12th?'],
    ['the 31st', 'question: Do you mean Thursday, December 31st?'],
    [
      'ten to two tomorrow',
      'question: Do you mean 1:50 in the afternoon, or from 10 in the morning to 2 in the afternoon?',
    ],
    [
      'ten to two pm tomorrow',
      'question: Do you mean 1:50 in the afternoon, or from 10 in the morning to 2 in the afternoon?',
    ],
    ['half nine on Friday', 'question: Do you mean 8:30 in the morning, or 9:30 in the morning?'],
    ['Wednesday', 'question: Do you mean today, Wednesday, November 4th, or Wednesday, November 11th?'],
    ['Friday the 5th', 'question: That date is a Thursday, November 5th. Which day do you mean?'],
    ['Tuesday November 25th', 'question: That date is a Wednesday, November 25th. Which day do you mean?'],
    ['the 4th', 'question: Do you mean today, Wednesday, November 4th, or Friday, December 4th?'],
    ['February 29th', 'question: Do you mean Tuesday, February 29th, 2028?'],
    ['tomorrow after seven', 'question: Do you mean 7 in the morning, or 7 in the evening?'],
    [
      'next weekend',
      'question: Do you mean from Saturday, November 7th to Sunday, November 8th, or from Saturday, November 14th to Sunday, November 15th?',
    ],
    ['this Tuesday', 'question: Do you mean Tuesday, November 10th?'],
  ])('%s', (text, expected) => expect(read(text, NEW_YORK)).toBe(expected))
})

describe('what is not certain is refused, with a sentence that says what would be right', () => {
  test.each([
    'tomorrow tennish',
    'any afternoon but Monday',
    "Monday doesn't work",
    'Monday one',
    'not next week',
    'in two or three weeks',
    'in a couple of weeks',
    'at midnight',
    'December twenty two thirty',
    'early next week',
    'end of the week',
    'around Christmas',
    '9-11 tomorrow',
    'tomorrow 9.30',
    'next next Tuesday',
    'ten minutes ago',
    'a week ago',
    'nine',
    'Monday nine',
    'Monday 9',
    'not tomorrow',
    'not Monday morning',
    'except Friday afternoon',
    'any time but Monday morning',
    "I can't do Monday morning, Tuesday is fine",
    '10 11',
    'Monday, no, Tuesday',
    'Monday, I mean Tuesday',
    'Monday or actually Tuesday',
    'my tooth hurts tomorrow',
    'the usual time',
    'the same day as last time',
    'unless it rains, Friday',
    'tomorrow if Dr. Lee is there',
    'Friday is bad',
    'nothing before Friday',
    'at thirty',
    'tomorrow at 25:00',
    'at 9:75 tomorrow',
    'Monday 3 or 4',
    'soonish',
    'next',
  ])('a part of it was not understood, or taken back: %s', (text) =>
    expect(read(text, NEW_YORK)).toMatch(/^error: The time was not understood/),
  )
  test.each(['tomorrow morning at three in the afternoon', 'two pm in the morning', 'today yesterday'])(
    'its parts contradict each other: %s',
    (text) => expect(read(text, NEW_YORK)).toMatch(/^error: Those days and times do not go together/),
  )
  test.each(['2026-13-45', '2026-02-30', 'November 31st', 'the fifth Monday of December', 'the second Tuesday'])(
    'there is no such date: %s',
    (text) => expect(read(text, NEW_YORK)).toMatch(/^error: That is not a date of the calendar/),
  )
  test.each(['1/2/2020', 'before yesterday', 'this morning', 'this morning at nine', 'last Monday'])(
    'it has passed: %s',
    (text) => expect(read(text, NEW_YORK)).toMatch(/^error: That time has passed/),
  )
  test('the message about a time that has passed names the day of today', () =>
    expect(read('yesterday', NEW_YORK)).toBe(
      'error: That time has passed, as today is Wednesday, November 4th, 2026; say one that is to come, for example "tomorrow morning"',
    ))
  test.each([
    ['tomorrow at 3 pm Pacific', NEW_YORK],
    ['tomorrow at 3 pm PST', NEW_YORK],
    ['tomorrow at nine Central', BERLIN],
  ])('the zone is not that of the clinic: %s', (text, locale) =>
    expect(read(text, locale)).toMatch(/^error: The time was not understood/),
  )
  test('"the following Friday" is asked where the coming one is not of next week, and after another day', () => {
    expect(read('the following Friday', NEW_YORK)).toBe(
      'question: Do you mean Friday, November 6th, or Friday, November 13th?',
    )
    expect(read('the 9th or the following Friday', NEW_YORK)).toMatch(/^error: The time was not understood/)
  })
  test.each(['in 99 years'])('it is too far ahead: %s', (text) =>
    expect(read(text, NEW_YORK)).toMatch(/^error: That is more than/),
  )
  test.each(['no', 'yes', '', '   ', 'please'])('nothing was said: %s', (text) =>
    expect(read(text, NEW_YORK)).toMatch(/^error: No day or time was given/),
  )
})

describe('in Berlin, on Sunday, November 22nd', () => {
  test.each([
    ['tomorrow at nine', 'Mon 2026-11-23 09:00 +1'],
    ['next Tuesday', 'Tue 2026-11-24 00:00 +1 until Wed 2026-11-25 00:00 +1'],
    ['next week', 'Mon 2026-11-23 00:00 +1 until Mon 2026-11-30 00:00 +1'],
    ['this week', 'Sun 2026-11-22 09:00 +1 until Mon 2026-11-23 00:00 +1'],
    ['this Sunday', 'question: Do you mean today, Sunday, November 22nd, or Sunday, November 29th?'],
    ['Sunday', 'question: Do you mean today, Sunday, November 22nd, or Sunday, November 29th?'],
    ['next Sunday', 'Sun 2026-11-29 00:00 +1 until Mon 2026-11-30 00:00 +1'],
    ['this Friday', 'question: Do you mean Friday, November 27th?'],
    ['the weekend', 'Sun 2026-11-22 09:00 +1 until Mon 2026-11-23 00:00 +1'],
    ['next weekend', 'Sat 2026-11-28 00:00 +1 until Mon 2026-11-30 00:00 +1'],
    ['3/4 at 10:15 am', 'Sat 2027-04-03 10:15 +2'],
    ['3.4. at 10:15 am', 'Sat 2027-04-03 10:15 +2'],
    ['4.12.2026 at 14:30', 'Fri 2026-12-04 14:30 +1'],
    ['12/25/2026 at 10', 'Fri 2026-12-25 10:00 +1'],
    ['25.12.2026', 'Fri 2026-12-25 00:00 +1 until Sat 2026-12-26 00:00 +1'],
    ['28 March at 2:30', 'Sun 2027-03-28 14:30 +2'],
    [
      '2027-03-28T02:30',
      'error: There is no 2:30 in the morning on Sunday, March 28th, as the clocks change; the next time is 3 in the morning',
    ],
    [
      'March 28th at 2 am',
      'error: There is no 2 in the morning on Sunday, March 28th, as the clocks change; the next time is 3 in the morning',
    ],
    ['28 March at 3 am', 'Sun 2027-03-28 03:00 +2'],
    ['28 March after 2:15 am', 'Sun 2027-03-28 03:00 +2 until Mon 2027-03-29 00:00 +2'],
    ['28 March', 'Sun 2027-03-28 00:00 +1 until Mon 2027-03-29 00:00 +2'],
    ['October 31st 2027 at 2:30 in the morning', 'Sun 2027-10-31 02:30 +2; Sun 2027-10-31 02:30 +1'],
    ['October 31st 2027 at 2:30 in the morning, before the clocks go back', 'Sun 2027-10-31 02:30 +2'],
    ['October 31st 2027 at 2:30 in the morning, after the clocks go back', 'Sun 2027-10-31 02:30 +1'],
    [
      'November 1st 2027 at 2:30 in the morning, after the clocks go back',
      'error: Those days and times do not go together; say one day and one time, for example "Monday at two"',
    ],
    ['31 October 2027 between 1 am and 3 am', 'Sun 2027-10-31 01:00 +2 until Sun 2027-10-31 03:00 +1'],
    ['31 October 2027 from 2:30 am to 4 am', 'Sun 2027-10-31 02:30 +2 until Sun 2027-10-31 04:00 +1'],
    ['2026-12-01T09:00:00+02:00', 'Tue 2026-12-01 08:00 +1'],
    ['Friday at 14:00', 'Fri 2026-11-27 14:00 +1'],
    ['Friday at half past two', 'Fri 2026-11-27 14:30 +1'],
    ['the first of January', 'Fri 2027-01-01 00:00 +1 until Sat 2027-01-02 00:00 +1'],
    ['next year', 'Fri 2027-01-01 00:00 +1 until Sat 2028-01-01 00:00 +1'],
    [
      'ten to two tomorrow',
      'question: Do you mean 1:50 in the afternoon, or from 10 in the morning to 2 in the afternoon?',
    ],
    [
      'ten to two pm tomorrow',
      'question: Do you mean 1:50 in the afternoon, or from 10 in the morning to 2 in the afternoon?',
    ],
    ['may I come tomorrow', 'Mon 2026-11-23 00:00 +1 until Tue 2026-11-24 00:00 +1'],
    [
      'Sunday 28 March 2027 between 2 am and 3 am',
      'error: There is no 2 in the morning on Sunday, March 28th, as the clocks change; the next time is 3 in the morning',
    ],
    ['half nine on Friday', 'question: Do you mean 8:30 in the morning, or 9:30 in the morning?'],
    ['Monday', 'Mon 2026-11-23 00:00 +1 until Tue 2026-11-24 00:00 +1'],
    ['Monday at two or at three', 'Mon 2026-11-23 14:00 +1; Mon 2026-11-23 15:00 +1'],
    ['next month on Mondays', 'Tue 2026-12-01 00:00 +1 until Fri 2027-01-01 00:00 +1, on Mon'],
    ['after tomorrow', 'Tue 2026-11-24 00:00 +1 on'],
    ['at quarter to ten on the 24th', 'Tue 2026-11-24 09:45 +1'],
  ])('%s', (text, expected) => expect(read(text, BERLIN)).toBe(expected))
})

describe('on Lord Howe Island, on Wednesday before the clocks go forward by half an hour', () => {
  test.each([
    ['tomorrow at nine', 'Thu 2026-10-01 09:00 +10:30'],
    [
      'Sunday at 2:15 in the morning',
      'error: There is no 2:15 in the morning on Sunday, October 4th, as the clocks change; the next time is 2:30 in the morning',
    ],
    ['Sunday at 2:30 in the morning', 'Sun 2026-10-04 02:30 +11'],
    ['Sunday at 1:45 am', 'Sun 2026-10-04 01:45 +10:30'],
    [
      'October 4th at two in the morning',
      'error: There is no 2 in the morning on Sunday, October 4th, as the clocks change; the next time is 2:30 in the morning',
    ],
    ['next Sunday', 'question: Do you mean Sunday, October 4th, or Sunday, October 11th?'],
    ['on Sunday', 'Sun 2026-10-04 00:00 +10:30 until Mon 2026-10-05 00:00 +11'],
    ['Sunday after 2:10 am', 'Sun 2026-10-04 02:30 +11 until Mon 2026-10-05 00:00 +11'],
    [
      'Sunday between 2 am and 2:30 am',
      'error: There is no 2 in the morning on Sunday, October 4th, as the clocks change; the next time is 2:30 in the morning',
    ],
    ['Sunday before 2:20 am', 'Sun 2026-10-04 00:00 +10:30 until Sun 2026-10-04 02:30 +11'],
    ['4 April at 1:45 am', 'Sun 2027-04-04 01:45 +11; Sun 2027-04-04 01:45 +10:30'],
    ['4 April at 1:45 am, before the clocks go back', 'Sun 2027-04-04 01:45 +11'],
    ['4 April at 1:45 am, after the clocks go back', 'Sun 2027-04-04 01:45 +10:30'],
    ['4/4 at 1:15 am', 'Sun 2027-04-04 01:15 +11'],
    ['4/4 at 2 am', 'Sun 2027-04-04 02:00 +10:30'],
    ['5/4', 'Mon 2027-04-05 00:00 +10:30 until Tue 2027-04-06 00:00 +10:30'],
    ['weekdays', 'Wed 2026-09-30 12:00 +10:30 on, on Mon Tue Wed Thu Fri'],
    ['October 4th at 2:45 am', 'Sun 2026-10-04 02:45 +11'],
    ['tomorrow at seven', 'question: Do you mean 7 in the morning, or 7 in the evening?'],
    ['the 4th at nine in the morning', 'Sun 2026-10-04 09:00 +11'],
    ['in ten days at half past ten', 'Sat 2026-10-10 10:30 +11'],
    ['the 31st', 'question: Do you mean Saturday, October 31st?'],
    ['next Friday', 'question: Do you mean Friday, October 2nd, or Friday, October 9th?'],
  ])('%s', (text, expected) => expect(read(text, LORD_HOWE)).toBe(expected))
})

describe('what a phrase depends on', () => {
  test.each([
    ['US', 'Wed 2027-03-03 15:00 -5', '3/3 at 3 pm'],
    ['US', 'Thu 2027-03-04 15:00 -5', '3/4 at 3 pm'],
    ['GB', 'Sat 2027-04-03 15:00 -4', '3/4 at 3 pm'],
    ['DE', 'Sat 2027-04-03 15:00 -4', '3/4 at 3 pm'],
    ['EG', 'Fri 2026-11-06 00:00 -5 until Sun 2026-11-08 00:00 -5', 'this weekend'],
    ['EG', 'Wed 2026-11-04 12:00 -5 on, on Fri Sat', 'weekends'],
  ])('the region %s: %s is "%s"', (region, expected, text) =>
    expect(read(text, { ...NEW_YORK, region })).toBe(expected),
  )

  test('the week of the region: on a Sunday "next week" is certain where weeks begin on Monday, and asked elsewhere', () => {
    const sunday = (region: string) => localeAt('2026-11-22T09:00', 'America/New_York', region)
    expect(read('next week', sunday('GB'))).toBe('Mon 2026-11-23 00:00 -5 until Mon 2026-11-30 00:00 -5')
    expect(read('next week', sunday('US'))).toMatch(/^question: Do you mean from Monday, November 23rd/)
    expect(read('next Tuesday', sunday('US'))).toBe(
      'question: Do you mean Tuesday, November 24th, or Tuesday, December 1st?',
    )
  })

  test('the opening times: "seven" is asked where the clinic is open at both, or they are not known', () => {
    const open = (from: number, until: number) => [{ weekday: 4 as const, from: from * 60, until: until * 60 }]
    const asked = 'question: Do you mean 7 in the morning, or 7 in the evening?'
    expect(read('tomorrow at seven', { ...NEW_YORK, openingTimes: open(6, 20) })).toBe(asked)
    expect(read('tomorrow at seven', { ...NEW_YORK, openingTimes: [] })).toBe(asked)
    expect(read('tomorrow at seven', { ...NEW_YORK, openingTimes: open(6, 18) })).toBe('Thu 2026-11-05 07:00 -5')
    expect(read('tomorrow at seven', { ...NEW_YORK, openingTimes: open(12, 20) })).toBe('Thu 2026-11-05 19:00 -5')
    expect(read('tomorrow at two', { ...NEW_YORK, openingTimes: [] })).toMatch(/^question/)
  })

  test('the time of day: of the days that a weekday can be, those that have passed are left out', () => {
    expect(read('Wednesday at nine', NEW_YORK)).toBe('Wed 2026-11-11 09:00 -5')
    expect(read('Wednesday at three', NEW_YORK)).toBe(
      'question: Do you mean today, Wednesday, November 4th, or Wednesday, November 11th?',
    )
  })
})

const ZONES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe']
const zone = fc.constantFrom(...ZONES)
const region = fc.constantFrom('US', 'DE', 'AU', 'EG')
const START = DateTime.fromISO('2026-01-01T00:00Z').toMillis()
const MINUTE = 60_000
const YEAR = 365 * 24 * 60
/** Minutes since START; every fourth near a change of the clocks in one of the zones. */
const nearChanges = [
  '2026-03-08T07:00Z',
  '2026-03-29T01:00Z',
  '2026-04-04T15:00Z',
  '2026-10-03T15:30Z',
  '2026-10-25T01:00Z',
  '2026-11-01T06:00Z',
]
const minute = fc.oneof(
  { weight: 3, arbitrary: fc.nat(2 * YEAR) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...nearChanges), fc.integer({ min: -150, max: 150 }))
      .map(([change, minutes]) => (Date.parse(change) - START) / MINUTE + minutes),
  },
)
const timeAt = (minutes: number, inZone: string) => DateTime.fromMillis(START + minutes * MINUTE, { zone: inZone })

describe('sayTime', () => {
  test.each([
    ['2026-11-24T14:30', 'Tuesday, November 24th, at 2:30 in the afternoon'],
    ['2026-11-12T09:00', 'Thursday, November 12th, at 9 in the morning'],
    ['2026-12-01T12:00', 'Tuesday, December 1st, at noon'],
    ['2026-12-02T17:05', 'Wednesday, December 2nd, at 5:05 in the evening'],
    ['2026-12-23T00:15', 'Wednesday, December 23rd, at 12:15 in the morning'],
    ['2027-01-11T12:45', 'Monday, January 11th, 2027, at 12:45 in the afternoon'],
  ])('%s is "%s"', (iso, expected) =>
    expect(sayTime(DateTime.fromISO(iso, { zone: 'America/New_York' }), NEW_YORK.now)).toBe(expected),
  )

  test('of a time that the clocks show twice, says which', () => {
    const first = DateTime.fromISO('2027-04-04T01:45+11:00', { zone: 'Australia/Lord_Howe' })
    const said = 'Sunday, April 4th, 2027, at 1:45 in the morning'
    expect(sayTime(first, LORD_HOWE.now)).toBe(`${said}, before the clocks go back`)
    expect(sayTime(first.plus({ minutes: 30 }), LORD_HOWE.now)).toBe(`${said}, after the clocks go back`)
  })

  test('what is read aloud is read back as the same moment, in any zone and region, whatever the opening times', () => {
    fc.assert(
      fc.property(minute, minute, zone, region, (one, two, inZone, inRegion) => {
        fc.pre(one !== two)
        const now = timeAt(Math.min(one, two), inZone)
        const time = timeAt(Math.max(one, two), inZone)
        const said = sayTime(time, now)
        const heard = spokenTimes(said, { now, region: inRegion, openingTimes: [] })
        expect(heard.kind === 'windows' && heard.windows.map(({ start }) => start.toISO())).toEqual([time.toISO()])
      }),
      { numRuns: 200 },
    )
  })
})

const DAY_PHRASES = [
  'today',
  'tomorrow',
  'the day after tomorrow',
  'next Tuesday',
  'Friday',
  'this Monday',
  'Thursday next week',
  'next week',
  'this week',
  'the week after next',
  'the 13th',
  'the 31st',
  'March 5th',
  'in two weeks',
  'within a week',
  'this weekend',
  'weekends',
  'weekdays',
  'in December',
  'this month',
  'not before the fifth of March',
  'by Friday',
  'before the 10th',
  'Monday or Wednesday',
  'from the 3rd to the 7th',
  'as soon as possible',
  'any day but Monday',
  '',
]
const TIME_PHRASES = [
  '',
  'in the morning',
  'first thing',
  'after two',
  'at half past nine',
  'at 2:15 am',
  'between ten and noon',
  'before 11 am',
  'this evening',
  'late afternoon',
  'from 1:30 am to 2:30 am',
  'around noon',
  'at seven',
  'at 1:45 am',
  'not before ten',
]

test('windows are never in the past, never empty, and hold no time of day or weekday but those that were said', () => {
  const phrases = fc.tuple(fc.constantFrom(...DAY_PHRASES), fc.constantFrom(...TIME_PHRASES))
  fc.assert(
    fc.property(phrases, minute, zone, region, ([days, times], at, inZone, inRegion) => {
      const now = timeAt(at, inZone)
      const heard = spokenTimes(`${days} ${times}`, { ...NEW_YORK, now, region: inRegion })
      const windows = heard.kind === 'windows' ? heard.windows : []
      for (const { start, end, timeOfDay } of windows) {
        expect(start >= now).toBe(true)
        expect(end === undefined || end > start).toBe(true)
        expect(start.zoneName).toBe(inZone)
        expect(timeOfDay === undefined || timeOfDay.from < timeOfDay.until).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

/** The named days, said again without the reader: which dates a phrase may lead to. */
const NAMED_DAYS: readonly (readonly [string, (day: DateTime, now: DateTime) => boolean])[] = [
  ['today', (day, now) => day.hasSame(now, 'day')],
  ['tomorrow', (day, now) => day.hasSame(now.plus({ days: 1 }), 'day')],
  ['Friday', (day) => day.weekday === 5],
  ['next Tuesday', (day) => day.weekday === 2],
  ['Monday or Wednesday', (day) => [1, 3].includes(day.weekday)],
  ['Thursday next week', (day, now) => day.weekday === 4 && day > now],
  ['the 13th', (day) => day.day === 13],
  ['March 5th', (day) => day.month === 3 && day.day === 5],
  ['in December', (day) => day.month === 12],
  ['weekends', (day) => day.weekday >= 6],
  ['any day but Monday', (day) => day.weekday !== 1],
  ['from the 3rd to the 7th', (day) => day.day >= 3 && day.day <= 7],
]

test('every moment that fits a window lies in the days that were named', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...NAMED_DAYS),
      fc.constantFrom(...TIME_PHRASES),
      minute,
      zone,
      (named, times, at, inZone) => {
        const [days, isNamed] = named
        const now = timeAt(at, inZone)
        const heard = spokenTimes(`${days} ${times === 'this evening' ? '' : times}`, {
          ...NEW_YORK,
          now,
          region: 'DE',
        })
        for (const window of heard.kind === 'windows' ? heard.windows : []) {
          for (let hours = -30; hours < 24 * 9; hours += 1.25) {
            const moment = window.start.plus({ hours })
            if (isWithin(window, moment)) expect(isNamed(moment, now) && moment >= now).toBe(true)
          }
        }
      },
    ),
    { numRuns: 100 },
  )
})

describe('hostile texts', () => {
  test.each([
    ...ENDLESS,
    'next '.repeat(59),
    'between ten and '.repeat(18),
    'ten to '.repeat(40),
    'week from '.repeat(29),
    '10:00-'.repeat(49),
    '1-'.repeat(149),
    '\u{1F600}'.repeat(149),
  ])('are refused or asked about, however long (case %#)', (text) =>
    expect(spokenTimes(text, NEW_YORK).kind).not.toBe('windows'),
  )

  test('what is said again and again is one window', () =>
    expect(read('monday or '.repeat(29), NEW_YORK)).toBe('Mon 2026-11-09 00:00 -5 until Tue 2026-11-10 00:00 -5'))

  test('no text makes it throw', () => {
    const words = fc
      .array(
        fc.constantFrom(
          ...`monday next week the 3rd of december 2027 3/4 at ten to two half past or and but not before
        after between noon pm in 2 a twenty five 9:30 until this from weekend except tonight 2026-03-08 asap`.split(
            /\s+/,
          ),
        ),
      )
      .map((all) => all.join(' '))
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), words), zone, (text, inZone) => {
        const now = NEW_YORK.now.setZone(inZone)
        expect(['windows', 'question', 'error']).toContain(spokenTimes(text, { ...NEW_YORK, now }).kind)
      }),
      { numRuns: 300 },
    )
  })

  test.each(['my first visit', 'give me a second', 'the second slot'])('an ordinal that is no day: %s', (text) =>
    expect(read(text, NEW_YORK)).toMatch(/^error: No day or time was given/),
  )

  test('no message repeats what the caller said', () => {
    expect(read('Ruth Abernathy wants tomorrow', NEW_YORK)).not.toMatch(/ruth|abernathy/i)
  })
})
