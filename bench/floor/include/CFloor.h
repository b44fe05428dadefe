int cfloor_placeholder(void);
