int cfloor_placeholder(void){return 0;}
