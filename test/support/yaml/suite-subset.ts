/**
 * The cases of the YAML test suite that are YAML, but not as a manifest may be written: by the rule that they break.
 * All others are read.
 */
export const outside: Readonly<Record<string, string>> = {
  'a key is a collection, an alias, or a value other than text':
    '26DV 4FJ6 6BFJ 6PBE 9MMW E76Z KK5P LX3P M2N8:1 M5DY Q9WF RZP5 SBG9 V9D5 X38W XW4D',
  'a key is missing': '2JQS 6M2F CFD4 DFF7 FH7J FRK4 M2N8:0 NHX8 NKF9 PW8X S3PD SM9W:1 UKK6:0 WZ62',
  'a key has two lines': '5WE3 6SLA',
  'there are directives':
    '27NA 2LFX 5TYM 6CK3 6LVF 6WLZ 6ZKB 9DXL 9WXW BEC7 C4HZ CC74 DK95:7 MUS6:2 MUS6:3 MUS6:4 MUS6:5 MUS6:6 P76L RTP8 U3C3 W4TN Z9M4',
  'there are tags that not every parser knows': '2XXW 565N 7FWL CUP7 J7PZ M5C3 UGM3 Z67P',
};

/** Cases that the `yaml` package refuses or reads, whatever the suite says. */
export const unsettled = '2G84:2 2G84:3 JEF9:2 M7A3 UT92 XLQ9'.split(' ');
